// Default arguments, and overloads that differ in const.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[1,2,3,4,5,6]
#include <metal_stdlib>
using namespace metal;

static int f(int, int y = 2) { return y; }
static int g(device int*) { return 5; }
static int g(const device int*) { return 6; }
kernel void k(device int* out) {
  const device int* c = out;
  out[0] = f(0, 1); out[1] = f(0);
  out[2] = f(0, 3); out[3] = f(0, 4);
  out[4] = g(out); out[5] = g(c);
}
