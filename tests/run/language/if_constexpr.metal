// Only the chosen branch is checked for these arguments.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[2] expect.out=i32:[1,2]
#include <metal_stdlib>
using namespace metal;

struct OnlyA { int a; };
struct OnlyB { int b; };
template <typename T> static int get(T x) {
  if constexpr (is_same_v<T, OnlyA>) return x.a;
  else return x.b;
}
kernel void k(device int* out) { out[0] = get(OnlyA{1}); out[1] = get(OnlyB{2}); }
