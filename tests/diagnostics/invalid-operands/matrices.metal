#include <metal_stdlib>
using namespace metal;
kernel void one(constant float3x3 &m, constant half3x3 &n, device float4 *v, device float *a) {
  v[0] = m * v[0];
  //~^ error[MSL0224]: `*` does not go with `float3x3` and `float4`
  v[1].xyz = (m * n)[0];
  //~^ error[MSL0224]: `*` does not go with `float3x3` and `half3x3`
  a[0] = m(0, 1);
  //~^ error[MSL0224]: a value of type `constant float3x3` cannot be called
}
