// Every thread adds; the sum and the maximum are there.
// run: kernel=k grid=8 threadgroup=8 out=zeros:i32[3] expect.out=i32:[28,7,8]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out, uint t [[thread_position_in_grid]]) {
  device atomic_int* a = reinterpret_cast<device atomic_int*>(out);
  atomic_fetch_add_explicit(a, int(t), memory_order_relaxed);
  atomic_fetch_max_explicit(a + 1, int(t), memory_order_relaxed);
  threadgroup atomic_uint n;
  if (t == 0) atomic_store_explicit(&n, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&n, 1u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 0) out[2] = int(atomic_load_explicit(&n, memory_order_relaxed));
}
