// Program-scope data lives in constant memory; a local table that is written to is copied from there.
#include <metal_stdlib>
using namespace metal;

constant float weights[4] = {0.5f, 0.25f, 0.125f, 0.0625f};

kernel void tables(device float *x, uint g [[thread_position_in_grid]]) {
  int local[20] = {1, 2, 3};
  local[g % 20] += 1;
  x[g] = weights[g & 3] * local[(g + 1) % 20];
}
