// The same with keys and values streaming by: maximum, sum and output stay in registers, no scores in memory.
// run: kernel=flash grid=1024 threadgroup=32 q=arange:-1,0.001953125:f32[32,32] \
//   k=arange:1,-0.001953125:f32[32,32] v=arange:-2,0.00390625:f32[32,32] \
//   out=zeros:f32[32,32] expect.out=attention.npy tol=rtol=1e-4,atol=1e-5
#include <metal_stdlib>
using namespace metal;

constant constexpr uint n = 32;

kernel void flash(device const float* q [[buffer(0)]],
                  device const float* k [[buffer(1)]],
                  device const float* v [[buffer(2)]],
                  device float* out [[buffer(3)]],
                  uint query [[threadgroup_position_in_grid]],
                  uint lane [[thread_index_in_simdgroup]]) {
  // Lane d holds dimension d of the query and of the output.
  float mine = q[query * n + lane] * rsqrt(float(n));
  float m = -INFINITY;
  float s = 0.0f;
  float o = 0.0f;
  for (uint j = 0; j < n; j++) {
    float score = simd_sum(mine * k[j * n + lane]);
    float next = max(m, score);
    float correction = exp(m - next);
    float weight = exp(score - next);
    s = s * correction + weight;
    o = o * correction + weight * v[j * n + lane];
    m = next;
  }
  out[query * n + lane] = o / s;
}
