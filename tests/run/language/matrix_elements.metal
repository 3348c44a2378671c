// Elements of simdgroup matrices set from the elements of vectors, in a loop that keeps the matrices.
// run: kernel=products grid=32 threadgroup=32 x=zeros:f32[36,4] y=arange:f32[64] rounds=i32:2 expect.y=zeros:f32[64]
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

kernel void products(device const float4* x, device float* y, constant int& rounds, ushort lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8>(-128.0f);
  for (int round = 0; round < rounds; ++round) {
    simdgroup_float8x8 right[8];
    const float4 first = x[lane + round] + 1.0f, second = x[lane + round + 1] + 1.0f;
#pragma unroll
    for (short s = 0; s < 4; ++s) {
      right[s].thread_elements()[0] = first[s];
      right[s].thread_elements()[1] = second[s];
      right[s + 4].thread_elements()[0] = second[s];
      right[s + 4].thread_elements()[1] = first[s];
    }
    float4x4 w = float4x4(first, second, second, first);
#pragma unroll
    for (short s = 0; s < 8; ++s) {
      simdgroup_float8x8 left;
      left.thread_elements()[0] = w[s / 4][s % 4];
      left.thread_elements()[1] = w[s / 4 + 2][s % 4];
      simdgroup_multiply_accumulate(sum, left, right[s], sum);
    }
  }
  y[2 * lane] = sum.thread_elements()[0];
  y[2 * lane + 1] = sum.thread_elements()[1];
}
