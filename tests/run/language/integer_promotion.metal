// Narrow integers compute as int, and narrow again when stored.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[300,44,-56,65535,-1,1]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  uchar a = 200, b = 100;
  out[0] = a + b;
  uchar c = a + b;
  out[1] = c;
  char d = char(a);
  out[2] = d;
  ushort e = ushort(-1);
  out[3] = e;
  short f = short(e);
  out[4] = f;
  out[5] = (-1 < 1u) ? 0 : 1;
}
