#include <metal_stdlib>
using namespace metal;
kernel void one(device float *a, device half4 *b, device float4 *c, device float3 *d, uint3 g [[thread_position_in_grid]]) {
  a[0] = fmod(a[1], 2.0f);
  a[1] = a[0] * 2;
  c[0] = float4(b[0]) * c[0];
  c[1].xyz = c[0].xyz + d[0];
  a[g.x] = 1;
}
