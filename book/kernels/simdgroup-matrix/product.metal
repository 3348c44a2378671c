// One 8 x 8 product by one simdgroup.
// run: kernel=product grid=32 threadgroup=32 a=arange:-1,0.03125:f32[8,8] \
//   b=arange:0.5,-0.015625:f32[8,8] c=zeros:f32[8,8] expect.c=product.npy
#include <metal_stdlib>
using namespace metal;

kernel void product(device const float* a [[buffer(0)]],
                    device const float* b [[buffer(1)]],
                    device float* c [[buffer(2)]]) {
  simdgroup_float8x8 left;
  simdgroup_float8x8 right;
  simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  simdgroup_load(left, a, 8);  // 8 elements from row to row
  simdgroup_load(right, b, 8);
  simdgroup_multiply_accumulate(sum, left, right, sum);
  simdgroup_store(sum, c, 8);
}
