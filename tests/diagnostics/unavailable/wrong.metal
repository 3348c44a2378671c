// flags: -std=metal3.0
#include <metal_stdlib>
using namespace metal;
kernel void one(device bfloat *a) {
  //~^ error[MSL0215]: `bfloat` needs MSL 3.1
  simdgroup_bfloat8x8 m;
}
