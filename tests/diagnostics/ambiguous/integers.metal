#include <metal_stdlib>
using namespace metal;
kernel void one(device int *a, device long *b) {
  a[0] = sqrt(a[0]);
  //~^ error[MSL0219]: more than one `sqrt` fits the arguments (device int) equally well
  b[0] = simd_sum(b[0]);
  //~^ error[MSL0219]: more than one `simd_sum` fits the arguments (device long) equally well
}
