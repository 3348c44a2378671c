#include <metal_stdlib>
using namespace metal;
kernel void one(device float3x3 *m, device float4x4 *n) {
  m[0] = n[0];
  //~^ error[MSL0223]: cannot convert `float4x4` to `float3x3`
  m[1] = float3x3(n[0]);
  //~^ error[MSL0223]: cannot convert `float4x4` to `float3x3`
}
