// Types taken from expressions.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[4,2,8,1]
#include <metal_stdlib>
using namespace metal;

template <typename T, typename U> static auto sum(T a, U b) -> decltype(a + b) { return a + b; }
kernel void k(device int* out) {
  auto x = 1.5f;
  decltype(x) y = 2.5f;
  out[0] = int(x + y);
  auto h = half(2);
  out[1] = sizeof(h);
  out[2] = int(sizeof(sum(1, 2L)));
  out[3] = is_same_v<decltype(half(1) * half(2)), half>;
}
