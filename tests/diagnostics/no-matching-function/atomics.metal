#include <metal_stdlib>
using namespace metal;
kernel void count(device int *a, device atomic_uint *n, const device atomic_uint *c, device atomic_float *f) {
  atomic_fetch_add_explicit(&a[0], 1, memory_order_relaxed);
  //~^ error[MSL0220]: `device int *` is no pointer to an atomic object
  atomic_fetch_add_explicit(n[0], 1u, memory_order_relaxed);
  //~^ error[MSL0220]: `atomic_fetch_add_explicit` takes a pointer to the atomic object
  atomic_fetch_add_explicit(c, 1u, memory_order_relaxed);
  //~^ error[MSL0220]: `atomic_fetch_add_explicit` changes the object, which is constant
  atomic_fetch_add_explicit(n, 1u);
  //~^ error[MSL0220]: `atomic_fetch_add_explicit` takes 3 arguments, 2 are given
  atomic_fetch_max_explicit(f, 1.0f, memory_order_relaxed);
  //~^ error[MSL0220]: there is no `atomic_fetch_max_explicit` for `atomic_float` in `device` memory
}
