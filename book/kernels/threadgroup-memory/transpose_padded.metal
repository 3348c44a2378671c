// The same with one element of padding on each row: reads of a simdgroup lie 33 elements apart.
// run: kernel=transpose_padded grid=32,32 threadgroup=32,32 x=arange:f32[32,32] \
//   y=zeros:f32[32,32] expect.y=transposed.npy
#include <metal_stdlib>
using namespace metal;

kernel void transpose_padded(device const float* x [[buffer(0)]],
                             device float* y [[buffer(1)]],
                             uint2 t [[thread_position_in_threadgroup]]) {
  threadgroup float tile[32][33];
  tile[t.y][t.x] = x[t.y * 32 + t.x];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[t.y * 32 + t.x] = tile[t.x][t.y];
}
