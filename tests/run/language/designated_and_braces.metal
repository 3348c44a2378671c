// Lists initialise members in order, by name, and leave the rest zero.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[1,0,3,4,0,6]
#include <metal_stdlib>
using namespace metal;

struct S { int a; int b; int c; };
kernel void k(device int* out) {
  S s = {.a = 1, .c = 3};
  out[0] = s.a; out[1] = s.b; out[2] = s.c;
  int v[3] = {4};
  out[3] = v[0]; out[4] = v[2];
  int m[2][2] = {{1, 2}, {0, 3}};
  out[5] = m[0][0] + m[0][1] + m[1][0] + m[1][1];
}
