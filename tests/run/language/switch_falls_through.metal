// Cases without break go on in the next; default may stand first.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[6,5,3,100]
#include <metal_stdlib>
using namespace metal;

static int f(int x) {
  int r = 0;
  switch (x) {
    default: r += 100; break;
    case 1: r += 1;
    case 2: r += 2;
    case 3: { r += 3; break; }
    case 4: case 5: return 3;
  }
  return r;
}
kernel void k(device int* out) {
  out[0] = f(1); out[1] = f(2); out[2] = f(5); out[3] = f(9);
}
