// Matrices are equal if all of their components are; the answer is one bool.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[1,0,1,0,1,1]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  float2x3 a = float2x3(float3(1, 2, 3), float3(4, 5, 6));
  float2x3 b = a;
  out[0] = a == b;
  out[1] = a != b;
  b[1].z = 7;
  out[2] = a != b;
  out[3] = a == b;
  half2x2 h = half2x2(1.0h);
  out[4] = h == half2x2(half2(1, 0), half2(0, 1));
  if (a == b || h != half2x2(2.0h)) out[5] = 1;
}
