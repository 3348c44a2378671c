// Threads exchange through threadgroup memory.
// run: kernel=k grid=8 threadgroup=8 out=zeros:i32[8] expect.out=i32:[7,6,5,4,3,2,1,0]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out, uint t [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
  threadgroup int s[8];
  s[t] = int(t);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = s[n - 1 - t];
}
