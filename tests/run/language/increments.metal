// Before and after: what the value is, and what is left.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[1,2,2,1,6,5]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  int i = 1;
  out[0] = i++; out[1] = i; out[2] = i--; out[3] = i;
  int a[2] = {5, 6};
  thread int* p = a;
  int v = *p++;
  out[4] = *p; out[5] = v;
}
