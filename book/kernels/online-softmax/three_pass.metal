// Softmax over rows of 256, one simdgroup a row, in three passes: maximum, sum, result.
// run: kernel=three_pass grid=64 threadgroup=32 x=arange:-8,0.03125:f32[2,256] y=zeros:f32[2,256] \
//   expect.y=softmax.npy tol=rtol=1e-5,atol=1e-7
#include <metal_stdlib>
using namespace metal;

constant constexpr uint n = 256;

kernel void three_pass(device const float* x [[buffer(0)]],
                       device float* y [[buffer(1)]],
                       uint row [[threadgroup_position_in_grid]],
                       uint lane [[thread_index_in_simdgroup]]) {
  device const float* in = x + row * n;
  device float* out = y + row * n;
  float largest = -INFINITY;
  for (uint i = lane; i < n; i += 32) {
    largest = max(largest, in[i]);
  }
  largest = simd_max(largest);
  float sum = 0.0f;
  for (uint i = lane; i < n; i += 32) {
    sum += exp(in[i] - largest);
  }
  sum = simd_sum(sum);
  for (uint i = lane; i < n; i += 32) {
    out[i] = exp(in[i] - largest) / sum;
  }
}
