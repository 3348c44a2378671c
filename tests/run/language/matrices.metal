// Columns of columns; products with vectors and matrices; transposition.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[17,39,23,34,7,3]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  float2x2 m = float2x2(float2(1, 3), float2(2, 4));
  float2 v = m * float2(5, 6);
  out[0] = int(v.x); out[1] = int(v.y);
  float2 w = float2(5, 6) * m;
  out[2] = int(w.x); out[3] = int(w.y);
  float2x2 p = m * m;
  out[4] = int(p[0][0]);
  out[5] = int(transpose(m)[1][0]);
}
