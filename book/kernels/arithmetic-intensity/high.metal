// 64 operations for the same 8 bytes: 1 + v + v^2 + ... + v^32, by Horner's rule.
// run: kernel=high grid=4 threadgroup=4 x=f32:[0,1,-1,2] y=zeros:f32[4] \
//   expect.y=f32:[1,33,1,8589934592]
#include <metal_stdlib>
using namespace metal;

kernel void high(device const float* x [[buffer(0)]],
                 device float* y [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  float v = x[i];
  float sum = 1.0f;
  for (ushort k = 0; k < 32; k++) {
    sum = fma(sum, v, 1.0f);
  }
  y[i] = sum;
}
