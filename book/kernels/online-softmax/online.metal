// The same with maximum and sum in one pass: what is there is rescaled when a larger value comes.
// run: kernel=online grid=64 threadgroup=32 x=arange:-8,0.03125:f32[2,256] y=zeros:f32[2,256] \
//   expect.y=softmax.npy tol=rtol=1e-5,atol=1e-7
#include <metal_stdlib>
using namespace metal;

constant constexpr uint n = 256;

kernel void online(device const float* x [[buffer(0)]],
                   device float* y [[buffer(1)]],
                   uint row [[threadgroup_position_in_grid]],
                   uint lane [[thread_index_in_simdgroup]]) {
  device const float* in = x + row * n;
  device float* out = y + row * n;
  float m = -INFINITY;
  float s = 0.0f;
  for (uint i = lane; i < n; i += 32) {
    float next = max(m, in[i]);
    s = s * exp(m - next) + exp(in[i] - next);
    m = next;
  }
  // Lanes hold partial results; the same rescaling merges them.
  float largest = simd_max(m);
  float sum = simd_sum(s * exp(m - largest));
  for (uint i = lane; i < n; i += 32) {
    out[i] = exp(in[i] - largest) / sum;
  }
}
