// Packed vectors have no padding and convert to vectors.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[5] expect.out=i32:[12,16,3,9,7]
#include <metal_stdlib>
using namespace metal;

struct P { packed_float3 v; };
kernel void k(device int* out) {
  out[0] = sizeof(P); out[1] = sizeof(float3);
  packed_float3 p = packed_float3(1, 2, 3);
  float3 v = p;
  out[2] = int(v.z);
  p.y = 9; out[3] = int(p[1]);
  p = v + float3(p.x, 0, 0) * 0 + 4;
  out[4] = int(p.z);
}
