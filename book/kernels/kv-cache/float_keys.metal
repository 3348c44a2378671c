// Scores of one query against 64 keys of dimension 32, one simdgroup a key: 128 bytes for each key.
// run: kernel=float_keys grid=2048 threadgroup=64 q=arange:-1,0.0625:f32[32] \
//   k=arange:-1,0.0009765625:f32[64,32] \
//   scores=zeros:f32[64] expect.scores=float_scores.npy
#include <metal_stdlib>
using namespace metal;

kernel void float_keys(device const float* q [[buffer(0)]],
                       device const float* k [[buffer(1)]],
                       device float* scores [[buffer(2)]],
                       uint i [[thread_position_in_grid]],
                       uint lane [[thread_index_in_simdgroup]]) {
  float score = simd_sum(q[lane] * k[i]);
  if (lane == 0) {
    scores[i / 32] = score;
  }
}
