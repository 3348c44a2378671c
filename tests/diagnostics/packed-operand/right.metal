#include <metal_stdlib>
using namespace metal;
struct Camera { float3x3 m; packed_float3 v; };
kernel void one(device const Camera *c, device float3 *o) {
  o[0] = c[0].m * float3(c[0].v);
  o[1] = float3(c[0].v) * c[0].m;
}
