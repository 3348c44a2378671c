// flags: -fno-fast-math -std=metal3.2
// Without fast math no instruction carries its flags.
#include <metal_stdlib>
using namespace metal;

kernel void exact(device float *x, uint g [[thread_position_in_grid]]) {
  x[g] = exp(x[g]) / (x[g] + 1.0f) - sqrt(x[g]);
}
