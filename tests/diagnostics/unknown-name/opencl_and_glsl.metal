#include <metal_stdlib>
using namespace metal;
kernel void one(device float *a) {
  uint i = get_global_id(0);
  //~^ error[MSL0200]: nothing named `get_global_id` is declared
  vec3 v = vec3(1.0);
  //~^ error[MSL0200]: nothing named `vec3` is declared
  a[i] = lerp(v.x, v.y, 0.5f);
  barrier();
  //~^ error[MSL0200]: nothing named `barrier` is declared
}
