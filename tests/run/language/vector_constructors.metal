// Vectors from scalars, vectors and one repeated scalar, converting as they go.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[12] expect.out=i32:[1,2,3,4,7,7,7,1,2,9,3,-1]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  int2 a = int2(1, 2);
  int4 b = int4(a, 3, 4);
  out[0] = b.x; out[1] = b.y; out[2] = b.z; out[3] = b.w;
  int3 c = int3(7);
  out[4] = c.x; out[5] = c.y; out[6] = c.z;
  int4 d = int4(int3(a, 9), 3.9f);
  out[7] = d.x; out[8] = d.y; out[9] = d.z; out[10] = d.w;
  char4 e = char4(int4(255));
  out[11] = e.x;
}
