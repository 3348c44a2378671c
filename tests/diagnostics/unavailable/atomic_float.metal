// flags: -std=metal2.4
#include <metal_stdlib>
using namespace metal;
kernel void sum(device const float *x, device atomic_float *s, uint g [[thread_position_in_grid]]) {
  //~^ error[MSL0215]: `atomic_float` needs MSL 3.0
  atomic_fetch_add_explicit(s, x[g], memory_order_relaxed);
}
