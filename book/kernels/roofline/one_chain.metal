// 256 multiply-adds in one chain: each waits for the one before. Every start converges to 2.
// run: kernel=one_chain grid=64 threadgroup=64 x=arange:f32[64] y=zeros:f32[64] \
//   expect.y=full:2:f32[64]
#include <metal_stdlib>
using namespace metal;

kernel void one_chain(device const float* x [[buffer(0)]],
                      device float* y [[buffer(1)]],
                      uint i [[thread_position_in_grid]]) {
  float a = x[i];
  for (ushort k = 0; k < 256; k++) {
    a = fma(a, 0.5f, 1.0f);
  }
  y[i] = a;
}
