#include <metal_stdlib>
using namespace metal;
kernel void one(device float *a) {
  simdgroup_float8x8 m, n;
  simdgroup_load(m, a, 8);
  n = m + m;
  //~^ error[MSL0224]: `+` does not go with `simdgroup_float8x8` and `simdgroup_float8x8`
  simdgroup_store(n, a, 8);
}
