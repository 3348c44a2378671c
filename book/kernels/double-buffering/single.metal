// Eight tiles of 64 floats through one buffer, read in reverse: two barriers for each tile.
// run: kernel=single grid=64 threadgroup=64 x=arange:f32[8,64] y=zeros:f32[64] \
//   expect.y=arange:2296,-8:f32[64]
#include <metal_stdlib>
using namespace metal;

kernel void single(device const float* x [[buffer(0)]],
                   device float* y [[buffer(1)]],
                   uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[64];
  float sum = 0.0f;
  for (uint step = 0; step < 8; step++) {
    tile[t] = x[64 * step + t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += tile[63 - t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  y[t] = sum;
}
