// 4,096 ones added in half: from 2,048 on, adding 1 changes nothing.
// run: kernel=half_sum grid=1 threadgroup=1 x=ones:f16[4096] y=zeros:f16[1] expect.y=f16:[2048]
#include <metal_stdlib>
using namespace metal;

kernel void half_sum(device const half* x [[buffer(0)]], device half* y [[buffer(1)]]) {
  half sum = 0.0h;
  for (ushort i = 0; i < 4096; i++) {
    sum += x[i];
  }
  y[0] = sum;
}
