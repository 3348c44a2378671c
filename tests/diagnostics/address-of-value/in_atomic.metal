#include <metal_stdlib>
using namespace metal;
kernel void one(device uint *c) {
  uint old = atomic_fetch_add_explicit((volatile thread atomic_uint *)&(c, 0), 1u, memory_order_relaxed);
  //~^ error[MSL0226]: cannot take the address of a value of type `int`
  uint next = atomic_fetch_add_explicit(&5u, 1u, memory_order_relaxed);
  //~^ error[MSL0226]: cannot take the address of a value of type `uint`
  c[1] = old + next;
}
