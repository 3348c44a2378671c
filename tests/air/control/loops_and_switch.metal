// A loop that is to be unrolled, a switch that falls through, and a lazy condition.
#include <metal_stdlib>
using namespace metal;

kernel void control(device int *x, constant int &n, uint g [[thread_position_in_grid]]) {
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (i > n && x[i] > 0) {
      continue;
    }
    switch (x[i]) {
    case 1:
      sum += 1;
    case 2:
    case -3:
      sum += 2;
      break;
    default:
      sum -= 1;
    }
  }
  x[g] = sum;
}
