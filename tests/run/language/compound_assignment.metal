// The place on the left is evaluated once.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[1,13,5,6]
#include <metal_stdlib>
using namespace metal;

static int next(thread int& n) { return n++; }
kernel void k(device int* out) {
  int n = 0;
  int a[2] = {3, 5};
  a[next(n)] += 10;
  out[0] = n; out[1] = a[0]; out[2] = a[1];
  uchar b = 250; b += 12;
  out[3] = b;
}
