// Suffixes, exponents and hexadecimal floats.
// run: kernel=k grid=1 threadgroup=1 out=zeros:f32[6] expect.out=f32:[1.0,0.5,1500.0,3.0,0.099975586,1.0]
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out) {
  out[0] = 1.0; out[1] = .5f; out[2] = 1.5e3; out[3] = 0x1.8p1f; out[4] = 0.1h; out[5] = bool(0.1f) ? 1.0f : 0.0f;
}
