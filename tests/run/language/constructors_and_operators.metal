// A class with constructors, operators, a conversion and a call operator.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[4,6,-3,2,10,1]
#include <metal_stdlib>
using namespace metal;

struct Pair {
  int a, b;
  Pair() : a(0), b(0) {}
  Pair(int x) : a(x), b(x) {}
  Pair(int x, int y) : a(x), b(y) {}
  Pair operator+(Pair o) const { return Pair(a + o.a, b + o.b); }
  thread Pair& operator+=(Pair o) { a += o.a; b += o.b; return *this; }
  Pair operator-() const { return Pair(-a, -b); }
  int operator()(int x) const { return a * x; }
  explicit operator int() const { return a + b; }
};
static bool operator==(Pair x, Pair y) { return x.a == y.a && x.b == y.b; }
kernel void k(device int* out) {
  Pair p(1, 2);
  Pair q = p + Pair(3, 4);
  out[0] = q.a; out[1] = q.b;
  p += Pair(2);
  out[2] = (-p).a;
  out[3] = Pair(1)(2);
  out[4] = int(q);
  out[5] = Pair() == Pair(0, 0);
}
