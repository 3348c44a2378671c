// Static members and functions, nested types, and member templates.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[3] expect.out=i32:[4,6,12]
#include <metal_stdlib>
using namespace metal;

struct S {
  static constant constexpr int n = 4;
  struct Inner { int v; };
  static int twice(int x) { return 2 * x; }
  template <typename T> T scaled(T x) const { return x * n; }
};
template <typename T> static int through(T s) { return s.template scaled<int>(3); }
kernel void k(device int* out) { out[0] = S::n; out[1] = S::twice(S::Inner{3}.v); out[2] = through(S()); }
