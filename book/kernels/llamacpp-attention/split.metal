// One query over 64 cached tokens, dimension 32. Two simdgroups take half of the cache each and write a maximum,
// a sum and an output; the second kernel merges them. No atomics.
// run: kernel=part grid=64 threadgroup=64 q=arange:-1,0.0625:f32[32] \
//   k=arange:1,-0.001953125:f32[64,32] v=arange:-2,0.001953125:f32[64,32] \
//   stats=zeros:f32[2,2] parts=zeros:f32[2,32] expect.stats=stats.npy expect.parts=parts.npy \
//   tol=rtol=1e-4,atol=1e-4
// run: kernel=merge grid=32 threadgroup=32 stats=stats.npy parts=parts.npy out=zeros:f32[32] \
//   expect.out=out.npy tol=rtol=1e-4,atol=1e-4
#include <metal_stdlib>
using namespace metal;

constant constexpr uint dim = 32;
constant constexpr uint share = 32;  // tokens of one simdgroup

kernel void part(device const float* q [[buffer(0)]],
                 device const float* k [[buffer(1)]],
                 device const float* v [[buffer(2)]],
                 device float2* stats [[buffer(3)]],
                 device float* parts [[buffer(4)]],
                 uint lane [[thread_index_in_simdgroup]],
                 uint split [[simdgroup_index_in_threadgroup]]) {
  float mine = q[lane] * rsqrt(float(dim));
  float m = -INFINITY;
  float s = 0.0f;
  float o = 0.0f;
  for (uint token = split * share; token < (split + 1) * share; token++) {
    float score = simd_sum(mine * k[token * dim + lane]);
    float next = max(m, score);
    float correction = exp(m - next);
    float weight = exp(score - next);
    s = s * correction + weight;
    o = o * correction + weight * v[token * dim + lane];
    m = next;
  }
  if (lane == 0) {
    stats[split] = float2(m, s);
  }
  parts[split * dim + lane] = o;
}

kernel void merge(device const float2* stats [[buffer(0)]],
                  device const float* parts [[buffer(1)]],
                  device float* out [[buffer(2)]],
                  uint lane [[thread_position_in_grid]]) {
  float m = max(stats[0].x, stats[1].x);
  float first = exp(stats[0].x - m);
  float second = exp(stats[1].x - m);
  float sum = stats[0].y * first + stats[1].y * second;
  out[lane] = (parts[lane] * first + parts[dim + lane] * second) / sum;
}
