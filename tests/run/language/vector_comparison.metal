// Comparing vectors gives vectors of bool; select and all, any.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[5] expect.out=i32:[1,0,1,5,20]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  int3 a = int3(1, 5, 3), b = int3(2, 5, 9);
  bool3 lt = a < b;
  out[0] = lt.x; out[1] = lt.y; out[2] = any(a == b) && !all(a == b);
  int3 m = select(a, b, a == b);
  out[3] = m.y;
  int3 c = select(int3(20), int3(10), a < b);
  out[4] = c.y;
}
