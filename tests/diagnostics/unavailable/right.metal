// flags: -std=metal3.1
#include <metal_stdlib>
using namespace metal;
kernel void one(device bfloat *a) {
  simdgroup_bfloat8x8 m;
  a[0] = bfloat(1.0f);
}
