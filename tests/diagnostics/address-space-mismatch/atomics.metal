#include <metal_stdlib>
using namespace metal;
kernel void one(constant atomic_uint *c, device uint *o) {
  o[0] = atomic_load_explicit(c, memory_order_relaxed);
  //~^ error[MSL0231]: `atomic_load_explicit` works on `device` and `threadgroup` memory
  atomic_uint local;
  atomic_store_explicit(&local, 1, memory_order_relaxed);
  //~^ error[MSL0231]: `atomic_store_explicit` works on `device` and `threadgroup` memory
}
