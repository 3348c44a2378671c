// One row of activations times a 64 x 64 weight matrix: each weight is loaded for one multiply-add.
// run: kernel=one_row grid=2048 threadgroup=64 weights=arange:-1,0.00048828125:f32[64,64] \
//   x=arange:1,-0.03125:f32[64] \
//   y=zeros:f32[64] expect.y=one_row.npy tol=rtol=1e-5,atol=1e-5
#include <metal_stdlib>
using namespace metal;

kernel void one_row(device const float* weights [[buffer(0)]],
                    device const float* x [[buffer(1)]],
                    device float* y [[buffer(2)]],
                    uint i [[thread_position_in_grid]],
                    uint lane [[thread_index_in_simdgroup]]) {
  // One simdgroup for each row of weights.
  uint row = i / 32;
  float sum = 0.0f;
  for (uint k = lane; k < 64; k += 32) {
    sum = fma(weights[row * 64 + k], x[k], sum);
  }
  sum = simd_sum(sum);
  if (lane == 0) {
    y[row] = sum;
  }
}
