// Products fuse with the sums that they stand in, unless the pragma says otherwise.
#include <metal_stdlib>
using namespace metal;

kernel void contraction(device const float3 *p, device float4 *y, uint g [[thread_position_in_grid]]) {
  float3 v = p[g];
  float fused = v.x * v.y + v.z;
  float taken = v.z - v.x * v.y;
  float product = v.x * v.y;
  float apart;
  {
#pragma METAL fp contract(off)
    apart = v.x * v.y + v.z;
  }
  y[g] = float4(fused, taken, product + v.z, apart);
}
