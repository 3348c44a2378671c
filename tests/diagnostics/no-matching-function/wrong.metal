#include <metal_stdlib>
using namespace metal;
float blend(float x, float y) { return (x + y) / 2; }
kernel void one(device float *a, device float3 *v) {
  a[0] = blend(1);
  //~^ error[MSL0220]: `blend` takes 2 arguments, 1 is given
  a[1] = sqrt(a[0], a[1]);
  //~^ error[MSL0220]: `sqrt` takes 1 argument, 2 are given
  a[2] = blend(a[0], v[0]);
  //~^ error[MSL0220]: `blend` takes a `float` here, not `device float3`
  threadgroup_barrier();
  //~^ error[MSL0220]: `threadgroup_barrier` takes 1 to 2 arguments, none is given
}
