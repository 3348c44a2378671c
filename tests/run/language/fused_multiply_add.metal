// A product and a sum in one expression fuse; the pragma keeps them apart.
// run: kernel=k grid=1 threadgroup=1 out=zeros:f32[2] p=f32:[1.000244140625,-1.00048828125] expect.out=f32:[5.9604645e-08,0.0]
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out, device const float* p) {
  float a = p[0], b = p[1];
  out[0] = a * a + b;
  {
#pragma METAL fp contract(off)
    out[1] = a * a + b;
  }
}
