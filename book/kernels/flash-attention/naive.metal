// Attention of 32 queries over 32 keys, dimension 32, one simdgroup a query: the scores go through memory.
// run: kernel=naive grid=1024 threadgroup=32 q=arange:-1,0.001953125:f32[32,32] \
//   k=arange:1,-0.001953125:f32[32,32] v=arange:-2,0.00390625:f32[32,32] \
//   out=zeros:f32[32,32] scores=zeros:f32[32,32] expect.out=attention.npy tol=rtol=1e-4,atol=1e-5
#include <metal_stdlib>
using namespace metal;

constant constexpr uint n = 32;

kernel void naive(device const float* q [[buffer(0)]],
                  device const float* k [[buffer(1)]],
                  device const float* v [[buffer(2)]],
                  device float* out [[buffer(3)]],
                  device float* scores [[buffer(4)]],
                  uint query [[threadgroup_position_in_grid]],
                  uint lane [[thread_index_in_simdgroup]]) {
  device float* row = scores + query * n;
  float score = 0.0f;
  for (uint d = 0; d < n; d++) {
    score = fma(q[query * n + d], k[lane * n + d], score);
  }
  row[lane] = score * rsqrt(float(n));
  simdgroup_barrier(mem_flags::mem_device);
  float largest = simd_max(row[lane]);
  float weight = exp(row[lane] - largest);
  float sum = simd_sum(weight);
  simdgroup_barrier(mem_flags::mem_device);
  row[lane] = weight / sum;
  simdgroup_barrier(mem_flags::mem_device);
  float result = 0.0f;
  for (uint j = 0; j < n; j++) {
    result = fma(row[j], v[j * n + lane], result);
  }
  out[query * n + lane] = result;
}
