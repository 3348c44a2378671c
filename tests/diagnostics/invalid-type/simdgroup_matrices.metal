#include <metal_stdlib>
using namespace metal;
kernel void one(device float *a) {
  simdgroup_matrix<float, 16, 16> large;
  //~^ error[MSL0208]: Metal has no simdgroup matrix of 16 by 16 `float`
  simdgroup_matrix<int, 8, 8> whole;
  //~^ error[MSL0208]: Metal has no simdgroup matrix of 8 by 8 `int`
}
