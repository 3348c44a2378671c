#include <metal_stdlib>
using namespace metal;
kernel void relu(device float *a) {
  a[0] = std::max(a[0], 0.0f);
  //~^ error[MSL0200]: nothing named `std` is declared
  a[1] = M_PI;
  //~^ error[MSL0200]: nothing named `M_PI` is declared
}
