// Keys in 8 bits with one scale for each key: 36 bytes for each key.
// The scale is common to the sum, so it is applied once, after it.
// run: kernel=packed_keys grid=2048 threadgroup=64 q=arange:-1,0.0625:f32[32] \
//   k=arange:0,1:i8[64,32] \
//   scale=arange:0.0078125,0.0078125:f32[64] scores=zeros:f32[64] expect.scores=packed_scores.npy
#include <metal_stdlib>
using namespace metal;

kernel void packed_keys(device const float* q [[buffer(0)]],
                        device const char* k [[buffer(1)]],
                        device const float* scale [[buffer(2)]],
                        device float* scores [[buffer(3)]],
                        uint i [[thread_position_in_grid]],
                        uint lane [[thread_index_in_simdgroup]]) {
  float score = simd_sum(q[lane] * float(k[i]));
  if (lane == 0) {
    scores[i / 32] = score * scale[i / 32];
  }
}
