#include <metal_stdlib>
kernel void relu(device float *a, uint i [[thread_position_in_grid]]) {
  a[i] = max(a[i], 0.0f);
  //~^ error[MSL0200]: nothing named `max` is declared
}
