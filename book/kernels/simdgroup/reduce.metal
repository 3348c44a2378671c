// The same sum by the library's function.
// run: kernel=reduce grid=64 threadgroup=64 x=arange:f32[64] y=zeros:f32[2] expect.y=f32:[496,1520]
#include <metal_stdlib>
using namespace metal;

kernel void reduce(device const float* x [[buffer(0)]],
                   device float* y [[buffer(1)]],
                   uint i [[thread_position_in_grid]],
                   uint lane [[thread_index_in_simdgroup]],
                   uint group [[simdgroup_index_in_threadgroup]]) {
  float sum = simd_sum(x[i]);
  if (lane == 0) {
    y[group] = sum;
  }
}
