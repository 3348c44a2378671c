#include <metal_stdlib>
using namespace metal;
kernel void count(device atomic_ulong *s, uint g [[thread_position_in_grid]]) {
  atomic_fetch_add_explicit(s, ulong(g), memory_order_relaxed);
  //~^ error[MSL0220]: there is no `atomic_fetch_add_explicit` for `atomic_ulong` in `device` memory
  atomic_max_explicit(s, ulong(g), memory_order_relaxed);
}
kernel void shared(device int *o) {
  threadgroup atomic_ulong s;
  atomic_max_explicit(&s, 1ul, memory_order_relaxed);
  //~^ error[MSL0220]: there is no `atomic_max_explicit` for `atomic_ulong` in `threadgroup` memory
}
