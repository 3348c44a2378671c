// The same with a 2 x 2 grid of accumulators: 8 fragment loads, 8 multiplies.
// run: kernel=grid grid=32 threadgroup=32 a=arange:-1,0.0078125:f32[16,16] \
//   b=arange:0.5,-0.00390625:f32[16,16] c=zeros:f32[16,16] expect.c=product.npy
#include <metal_stdlib>
using namespace metal;

kernel void grid(device const float* a [[buffer(0)]],
                 device const float* b [[buffer(1)]],
                 device float* c [[buffer(2)]]) {
  simdgroup_float8x8 sum[2][2];
  for (ushort i = 0; i < 2; i++) {
    for (ushort j = 0; j < 2; j++) {
      sum[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    }
  }
  for (ushort k = 0; k < 16; k += 8) {
    simdgroup_float8x8 left[2];
    simdgroup_float8x8 right[2];
    for (ushort i = 0; i < 2; i++) {
      simdgroup_load(left[i], a + 8 * i * 16 + k, 16);
      simdgroup_load(right[i], b + k * 16 + 8 * i, 16);
    }
    for (ushort i = 0; i < 2; i++) {
      for (ushort j = 0; j < 2; j++) {
        simdgroup_multiply_accumulate(sum[i][j], left[i], right[j], sum[i][j]);
      }
    }
  }
  for (ushort i = 0; i < 2; i++) {
    for (ushort j = 0; j < 2; j++) {
      simdgroup_store(sum[i][j], c + 8 * i * 16 + 8 * j, 16);
    }
  }
}
