// Pointer arithmetic counts elements; differences too.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[5] expect.out=i32:[3,40,2,1,30]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  int a[4] = {10, 20, 30, 40};
  thread int* p = a;
  thread int* q = p + 3;
  out[0] = int(q - p);
  out[1] = *q;
  q -= 1;
  out[2] = int(q - a);
  out[3] = p < q;
  out[4] = q[0];
}
