#include <metal_stdlib>
using namespace metal;
struct Camera { float3x3 m; packed_float3 v; };
kernel void one(device const Camera *c, device float3 *o) {
  o[0] = c[0].m * c[0].v;
  //~^ error[MSL0227]: a matrix does not go with a packed vector: the right operand is `packed_float3`
  o[1] = c[0].v * c[0].m;
  //~^ error[MSL0227]: a matrix does not go with a packed vector: the left operand is `packed_float3`
}
