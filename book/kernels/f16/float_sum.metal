// The same ones, stored in half and added in float.
// run: kernel=float_sum grid=1 threadgroup=1 x=ones:f16[4096] y=zeros:f16[1] expect.y=f16:[4096]
#include <metal_stdlib>
using namespace metal;

kernel void float_sum(device const half* x [[buffer(0)]], device half* y [[buffer(1)]]) {
  float sum = 0.0f;
  for (ushort i = 0; i < 4096; i++) {
    sum += float(x[i]);
  }
  y[0] = half(sum);
}
