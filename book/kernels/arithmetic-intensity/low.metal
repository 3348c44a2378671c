// One operation for 8 bytes.
// run: kernel=low grid=256 threadgroup=64 x=arange:f32[256] y=zeros:f32[256] \
//   expect.y=arange:1,1:f32[256]
#include <metal_stdlib>
using namespace metal;

kernel void low(device const float* x [[buffer(0)]],
                device float* y [[buffer(1)]],
                uint i [[thread_position_in_grid]]) {
  y[i] = x[i] + 1.0f;
}
