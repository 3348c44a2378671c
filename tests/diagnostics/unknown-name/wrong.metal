#include <metal_stdlib>
using namespace metal;
kernel void scale(device float *input, device float *output, uint gid [[thread_position_in_grid]]) {
  output[gid] = 2 * inptu[gid];
  //~^ error[MSL0200]: nothing named `inptu` is declared
}
