// A sum over each simdgroup by hand: five exchanges, with partners at distance 16, 8, 4, 2 and 1.
// run: kernel=butterfly grid=64 threadgroup=64 x=arange:f32[64] y=zeros:f32[2] \
//   expect.y=f32:[496,1520]
#include <metal_stdlib>
using namespace metal;

kernel void butterfly(device const float* x [[buffer(0)]],
                      device float* y [[buffer(1)]],
                      uint i [[thread_position_in_grid]],
                      uint lane [[thread_index_in_simdgroup]],
                      uint group [[simdgroup_index_in_threadgroup]]) {
  float sum = x[i];
  for (ushort distance = 16; distance > 0; distance /= 2) {
    sum += simd_shuffle_xor(sum, distance);
  }
  if (lane == 0) {
    y[group] = sum;
  }
}
