// A 32 x 32 product, one thread for each output: 64 loads from device memory in each thread.
// run: kernel=naive grid=32,32 threadgroup=16,16 a=arange:-1,0.001953125:f32[32,32] \
//   b=arange:0.5,-0.0009765625:f32[32,32] c=zeros:f32[32,32] expect.c=product.npy
#include <metal_stdlib>
using namespace metal;

constant constexpr uint n = 32;

kernel void naive(device const float* a [[buffer(0)]],
                  device const float* b [[buffer(1)]],
                  device float* c [[buffer(2)]],
                  uint2 at [[thread_position_in_grid]]) {
  float sum = 0.0f;
  for (uint k = 0; k < n; k++) {
    sum = fma(a[at.y * n + k], b[k * n + at.x], sum);
  }
  c[at.y * n + at.x] = sum;
}
