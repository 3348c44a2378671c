// The same in float4: one read of a simdgroup is 512 consecutive bytes.
// run: kernel=vectorized grid=128 threadgroup=128 x=arange:f32[1024] y=zeros:f32[1024] \
//   expect.y=squares.npy
#include <metal_stdlib>
using namespace metal;

kernel void vectorized(device const float4* x [[buffer(0)]],
                       device float4* y [[buffer(1)]],
                       uint t [[thread_index_in_threadgroup]]) {
  threadgroup float4 tile[256];
  tile[t] = x[t];
  tile[t + 128] = x[t + 128];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint k = 0; k < 2; k++) {
    float4 v = tile[128 * k + t];
    y[128 * k + t] = v * v;
  }
}
