// Half stays half; mixed with float it becomes float.
// run: kernel=k grid=1 threadgroup=1 out=zeros:f32[4] expect.out=f32:[2048.0,2049.0,0.33325195,65504.0]
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out) {
  half h = 2048.0h;
  out[0] = h + 1.0h; out[1] = h + 1.0f; out[2] = half(1) / half(3); out[3] = numeric_limits<half>::max();
}
