// Right shifts of signed numbers keep the sign; division rounds to zero.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[-4,1073741820,-3,-1,3,1]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  int a = -16;
  out[0] = a >> 2;
  out[1] = int(uint(a) >> 2);
  out[2] = -7 / 2;
  out[3] = -7 % 2;
  out[4] = 7 / 2;
  out[5] = 7 % 2;
}
