// Both sides of ?: come to one type, and only one is evaluated.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[3] expect.out=i32:[1,2,5]
#include <metal_stdlib>
using namespace metal;

static int touched(thread int& n) { return ++n; }
kernel void k(device int* out) {
  int n = 0;
  int a = true ? touched(n) : (touched(n), touched(n));
  out[0] = a; out[1] = int(sizeof(true ? half(1) : half(2)));
  float f = n > 0 ? 5 : 2.5f;
  out[2] = int(f);
}
