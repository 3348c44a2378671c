// MSL 4.1 has atomic floats in threadgroup memory.
// flags: -std=metal4.1
// run: kernel=k grid=64 threadgroup=64 out=zeros:f32[1] expect.out=f32:[64]
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out, uint t [[thread_index_in_threadgroup]]) {
  threadgroup atomic_float s;
  if (t == 0) atomic_store_explicit(&s, 0.0f, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&s, 1.0f, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 0) out[0] = atomic_load_explicit(&s, memory_order_relaxed);
}
