// Components by name: read, written, repeated when read, and through rgba.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[12] expect.out=i32:[3,2,1,4,9,8,3,4,1,1,1,2]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  int4 a = int4(1, 2, 3, 4);
  int4 b = a.zyxw;
  for (int i = 0; i < 4; ++i) out[i] = b[i];
  a.xy = int2(9, 8);
  out[4] = a.r; out[5] = a.g; out[6] = a.b; out[7] = a.a;
  int4 c = int4(1, 2, 3, 4).xxxy;
  out[8] = c.x; out[9] = c.y; out[10] = c.z; out[11] = c.w;
}
