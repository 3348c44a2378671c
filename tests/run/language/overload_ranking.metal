// Exact matches win over promotions, promotions over conversions.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[1,1,2,3,4,5]
#include <metal_stdlib>
using namespace metal;

static int f(int) { return 1; }
static int f(uint) { return 2; }
static int f(float) { return 3; }
static int f(half) { return 4; }
static int g(float4) { return 5; }
static int g(int4) { return 6; }
kernel void k(device int* out) {
  short s = 0;
  out[0] = f(0); out[1] = f(s); out[2] = f(0u); out[3] = f(0.5f); out[4] = f(half(1)); out[5] = g(float4(0));
}
