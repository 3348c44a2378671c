// Every thread adds to one address: 256 atomic additions, one after another.
// run: kernel=atomic_each grid=256 threadgroup=64 x=ones:f32[256] total=zeros:f32[1] \
//   expect.total=f32:[256]
#include <metal_stdlib>
using namespace metal;

kernel void atomic_each(device const float* x [[buffer(0)]],
                        device atomic_float* total [[buffer(1)]],
                        uint i [[thread_position_in_grid]]) {
  atomic_fetch_add_explicit(total, x[i], memory_order_relaxed);
}
