// A swizzle on the left takes compound assignment, and its parts swap.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[5] expect.out=i32:[2,1,13,14,5]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  int4 a = int4(1, 2, 3, 4);
  a.xy = a.yx;
  a.zw += 10;
  out[0] = a.x; out[1] = a.y; out[2] = a.z; out[3] = a.w;
  int2 p = int2(0);
  p.y = 5;
  out[4] = p.x + p.y;
}
