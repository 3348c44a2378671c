// 100 elements in threadgroups of 64: two threadgroups, and the last 28 threads return at once.
// run: kernel=guarded threadgroups=2 threadgroup=64 x=arange:f32[100] y=zeros:f32[100] n=u32:100 \
//   expect.y=arange:1,1:f32[100]
#include <metal_stdlib>
using namespace metal;

kernel void guarded(device const float* x [[buffer(0)]],
                    device float* y [[buffer(1)]],
                    constant uint& n [[buffer(2)]],
                    uint i [[thread_position_in_grid]]) {
  if (i >= n) {
    return;
  }
  y[i] = x[i] + 1.0f;
}
