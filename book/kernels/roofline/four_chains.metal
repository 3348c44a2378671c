// 256 multiply-adds in four chains of 64: the four of a step are independent. The sum of four limits is 8.
// run: kernel=four_chains grid=64 threadgroup=64 x=arange:f32[64] y=zeros:f32[64] \
//   expect.y=full:8:f32[64]
#include <metal_stdlib>
using namespace metal;

kernel void four_chains(device const float* x [[buffer(0)]],
                        device float* y [[buffer(1)]],
                        uint i [[thread_position_in_grid]]) {
  float a = x[i];
  float b = a + 1.0f;
  float c = a + 2.0f;
  float d = a + 3.0f;
  for (ushort k = 0; k < 64; k++) {
    a = fma(a, 0.5f, 1.0f);
    b = fma(b, 0.5f, 1.0f);
    c = fma(c, 0.5f, 1.0f);
    d = fma(d, 0.5f, 1.0f);
  }
  y[i] = (a + b) + (c + d);
}
