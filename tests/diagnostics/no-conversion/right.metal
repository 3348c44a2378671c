#include <metal_stdlib>
using namespace metal;
kernel void one(device float4 *a, device float3 *b, device int4 *c, device float *d, uint3 g [[thread_position_in_grid]]) {
  a[0] = float4(b[0], 0);
  a[1] = float4(c[0]);
  uint i = g.x;
  if (all(a[0] > 0)) d[0] = 1;
  d[1] = d[i];
}
