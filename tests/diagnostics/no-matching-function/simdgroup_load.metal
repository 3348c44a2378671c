#include <metal_stdlib>
using namespace metal;
kernel void one(device half *a, device float *b) {
  simdgroup_half8x8 m;
  simdgroup_load(m, b, 8);
  //~^ error[MSL0220]: `simdgroup_load` takes a `device const half *` here, not `device float *`
  simdgroup_store(m, a, 8);
}
