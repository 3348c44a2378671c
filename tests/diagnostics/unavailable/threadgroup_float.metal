#include <metal_stdlib>
using namespace metal;
kernel void sum(device const float *x, device float *y, uint t [[thread_index_in_threadgroup]]) {
  threadgroup atomic_float s;
  //~^ error[MSL0215]: `atomic_float` in `threadgroup` memory needs MSL 4.1
  if (t == 0) atomic_store_explicit(&s, 0.0f, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&s, x[t], memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 0) y[0] = atomic_load_explicit(&s, memory_order_relaxed);
}
