// Eight rows of activations: each weight is loaded once for eight multiply-adds.
// run: kernel=eight_rows grid=2048 threadgroup=64 weights=arange:-1,0.00048828125:f32[64,64] \
//   x=arange:1,-0.00390625:f32[8,64] y=zeros:f32[8,64] expect.y=eight_rows.npy \
//   tol=rtol=1e-5,atol=1e-5
#include <metal_stdlib>
using namespace metal;

kernel void eight_rows(device const float* weights [[buffer(0)]],
                       device const float* x [[buffer(1)]],
                       device float* y [[buffer(2)]],
                       uint i [[thread_position_in_grid]],
                       uint lane [[thread_index_in_simdgroup]]) {
  uint row = i / 32;
  float sum[8] = {};
  for (uint k = lane; k < 64; k += 32) {
    float weight = weights[row * 64 + k];
    for (uint m = 0; m < 8; m++) {
      sum[m] = fma(weight, x[m * 64 + k], sum[m]);
    }
  }
  for (uint m = 0; m < 8; m++) {
    float total = simd_sum(sum[m]);
    if (lane == 0) {
      y[m * 64 + row] = total;
    }
  }
}
