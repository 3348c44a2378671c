// Bits of one type read as another of the same size.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[1065353216,16256,1,-1]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  out[0] = as_type<int>(1.0f);
  ushort2 h = as_type<ushort2>(1.0f);
  out[1] = h.y;
  out[2] = int(as_type<float>(0x3f800000u));
  out[3] = as_type<short>(ushort(65535));
}
