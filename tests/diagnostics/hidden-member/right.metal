class Counter {
  int n = 0;
public:
  void add() { n += 1; }
  int get(thread const Counter &other) { return n + other.n; }
};
struct Base {
protected:
  int secret = 1;
};
struct Derived : Base {
  int reveal() { return secret + this->secret; }
};
kernel void one(device int *a) {
  Counter counter;
  counter.add();
  Derived derived;
  a[0] = counter.get(counter) + derived.reveal();
}
