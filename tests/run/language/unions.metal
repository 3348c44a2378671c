// Members of a union share their bytes.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[3] expect.out=i32:[1065353216,0,16256]
#include <metal_stdlib>
using namespace metal;

union Bits { float f; uint u; ushort h[2]; };
kernel void k(device int* out) {
  Bits b;
  b.f = 1.0f;
  out[0] = int(b.u); out[1] = b.h[0]; out[2] = b.h[1];
}
