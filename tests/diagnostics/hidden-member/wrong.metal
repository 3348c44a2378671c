class Counter {
  int n = 0;
  void reset() { n = 0; }
public:
  void add() { n += 1; }
  int get() { return n; }
};
struct Base {
protected:
  int secret = 1;
};
struct Derived : Base {
  int reveal() { return secret; }
};
kernel void one(device int *a) {
  Counter counter;
  counter.n = 1;
  //~^ error[MSL0239]: `n` is a private member of `Counter`
  counter.reset();
  //~^ error[MSL0239]: `reset` is a private member of `Counter`
  Base base;
  a[0] = base.secret;
  //~^ error[MSL0239]: `secret` is a protected member of `Base`
}
