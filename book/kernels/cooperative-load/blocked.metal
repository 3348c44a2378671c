// 128 threads bring in 1,024 floats; each takes eight neighbours, so one read of a simdgroup touches eight lines.
// run: kernel=blocked grid=128 threadgroup=128 x=arange:f32[1024] y=zeros:f32[1024] \
//   expect.y=squares.npy
#include <metal_stdlib>
using namespace metal;

kernel void blocked(device const float* x [[buffer(0)]],
                    device float* y [[buffer(1)]],
                    uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[1024];
  for (uint k = 0; k < 8; k++) {
    tile[8 * t + k] = x[8 * t + k];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint k = 0; k < 8; k++) {
    float v = tile[128 * k + t];
    y[128 * k + t] = v * v;
  }
}
