#include <metal_stdlib>
using namespace metal;
kernel void sum(device const float *x, threadgroup atomic_float *s [[threadgroup(0)]], uint t [[thread_index_in_threadgroup]]) {
  atomic_fetch_add_explicit(s, x[t], memory_order_relaxed);
  //~^ error[MSL0215]: `atomic_float` in `threadgroup` memory needs MSL 4.1
}
