// 64 threads in two simdgroups turn a row round: each reads what a thread of the other simdgroup wrote.
// run: kernel=reverse grid=64 threadgroup=64 x=arange:f32[64] y=zeros:f32[64] \
//   expect.y=arange:63,-1:f32[64]
#include <metal_stdlib>
using namespace metal;

kernel void reverse(device const float* x [[buffer(0)]],
                    device float* y [[buffer(1)]],
                    uint t [[thread_index_in_threadgroup]]) {
  threadgroup float row[64];
  row[t] = x[t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[t] = row[63 - t];
}
