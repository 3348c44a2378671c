// Each simdgroup adds up first: 8 atomic additions.
// run: kernel=atomic_reduced grid=256 threadgroup=64 x=ones:f32[256] total=zeros:f32[1] \
//   expect.total=f32:[256]
#include <metal_stdlib>
using namespace metal;

kernel void atomic_reduced(device const float* x [[buffer(0)]],
                           device atomic_float* total [[buffer(1)]],
                           uint i [[thread_position_in_grid]],
                           uint lane [[thread_index_in_simdgroup]]) {
  float sum = simd_sum(x[i]);
  if (lane == 0) {
    atomic_fetch_add_explicit(total, sum, memory_order_relaxed);
  }
}
