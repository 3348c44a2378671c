// A 16 x 16 product by one simdgroup, one 8 x 8 block after another: 16 fragment loads, 8 multiplies.
// run: kernel=one grid=32 threadgroup=32 a=arange:-1,0.0078125:f32[16,16] \
//   b=arange:0.5,-0.00390625:f32[16,16] c=zeros:f32[16,16] expect.c=product.npy
#include <metal_stdlib>
using namespace metal;

kernel void one(device const float* a [[buffer(0)]],
                device const float* b [[buffer(1)]],
                device float* c [[buffer(2)]]) {
  for (ushort row = 0; row < 16; row += 8) {
    for (ushort column = 0; column < 16; column += 8) {
      simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
      for (ushort k = 0; k < 16; k += 8) {
        simdgroup_float8x8 left;
        simdgroup_float8x8 right;
        simdgroup_load(left, a + row * 16 + k, 16);
        simdgroup_load(right, b + k * 16 + column, 16);
        simdgroup_multiply_accumulate(sum, left, right, sum);
      }
      simdgroup_store(sum, c + row * 16 + column, 16);
    }
  }
}
