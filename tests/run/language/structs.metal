// Members, nested and arrays; copies are copies; default member values.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[1,2,5,1,9,7]
#include <metal_stdlib>
using namespace metal;

struct Inner { int a; int b[2]; };
struct Outer { Inner in; int c = 7; };
static Inner changed(Inner x) { x.a = 9; return x; }
kernel void k(device int* out) {
  Outer o;
  o.in = Inner{1, {2, 5}};
  Outer copy = o;
  out[0] = copy.in.a; out[1] = copy.in.b[0]; out[2] = copy.in.b[1];
  Inner i = changed(o.in);
  out[3] = o.in.a; out[4] = i.a;
  out[5] = o.c;
}
