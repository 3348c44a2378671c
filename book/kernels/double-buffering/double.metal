// The same through two buffers: the next tile is loaded while this one is read, one barrier for each tile.
// run: kernel=two_buffers grid=64 threadgroup=64 x=arange:f32[8,64] y=zeros:f32[64] \
//   expect.y=arange:2296,-8:f32[64]
#include <metal_stdlib>
using namespace metal;

kernel void two_buffers(device const float* x [[buffer(0)]],
                        device float* y [[buffer(1)]],
                        uint t [[thread_index_in_threadgroup]]) {
  threadgroup float tile[2][64];
  tile[0][t] = x[t];
  float sum = 0.0f;
  for (uint step = 0; step < 8; step++) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (step + 1 < 8) {
      tile[(step + 1) % 2][t] = x[64 * (step + 1) + t];
    }
    sum += tile[step % 2][63 - t];
  }
  y[t] = sum;
}
