// Private and protected members, seen from the class, from classes made of it and from the same template.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[3,5,12,6]
#include <metal_stdlib>
using namespace metal;

class Counter {
  int n = 0;
  int twice() const { return 2 * n; }
public:
  void add(int by) { n += by; }
  int get() const { return n; }
  int both(thread const Counter& other) const { return twice() + other.n; }
};
struct Base {
protected:
  int secret = 6;
};
struct Derived : Base {
  int reveal() const { return secret; }
};
template <typename T> class Box {
  T value;
public:
  Box(T x) : value(x) {}
  template <typename U> int sum(Box<U> other) { return int(value + other.get()); }
  T get() const { return value; }
};
kernel void k(device int* out) {
  Counter a, b;
  a.add(3);
  b.add(6);
  out[0] = a.get();
  out[1] = Box<int>(2).sum(Box<float>(3));
  out[2] = a.both(b);
  Derived d;
  out[3] = d.reveal();
}
