// Floats round to zero when they become integers; bools become 0 and 1.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[2,-2,1,0,1,255]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  out[0] = int(2.9f); out[1] = int(-2.9f); out[2] = true; out[3] = int(bool(0)); out[4] = int(bool(7)); out[5] = uchar(255.0f);
}
