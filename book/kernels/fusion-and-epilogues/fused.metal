// y = max(0, a x + b) as one kernel: one read and one write for each element.
// run: kernel=fused grid=8 threadgroup=8 x=arange:-4,1:f32[8] y=zeros:f32[8] a=f32:2 b=f32:1 \
//   expect.y=f32:[0,0,0,0,1,3,5,7]
#include <metal_stdlib>
using namespace metal;

kernel void fused(device const float* x [[buffer(0)]],
                  device float* y [[buffer(1)]],
                  constant float& a [[buffer(2)]],
                  constant float& b [[buffer(3)]],
                  uint i [[thread_position_in_grid]]) {
  y[i] = max(fma(a, x[i], b), 0.0f);
}
