// A first kernel: every thread scales one element.
// run: kernel=scale grid=256 threadgroup=64 x=arange:f32[256] y=zeros:f32[256] factor=f32:2 \
//   expect.y=arange:0,2:f32[256]
#include <metal_stdlib>
using namespace metal;

kernel void scale(device const float* x [[buffer(0)]],
                  device float* y [[buffer(1)]],
                  constant float& factor [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
  y[i] = factor * x[i];
}
