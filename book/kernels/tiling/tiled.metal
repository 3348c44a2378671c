// The same product in 16 x 16 tiles: 4 loads from device memory in each thread.
// run: kernel=tiled grid=32,32 threadgroup=16,16 a=arange:-1,0.001953125:f32[32,32] \
//   b=arange:0.5,-0.0009765625:f32[32,32] c=zeros:f32[32,32] expect.c=product.npy
#include <metal_stdlib>
using namespace metal;

constant constexpr uint n = 32;
constant constexpr uint edge = 16;

kernel void tiled(device const float* a [[buffer(0)]],
                  device const float* b [[buffer(1)]],
                  device float* c [[buffer(2)]],
                  uint2 at [[thread_position_in_grid]],
                  uint2 t [[thread_position_in_threadgroup]]) {
  threadgroup float tile_a[edge][edge];
  threadgroup float tile_b[edge][edge];
  float sum = 0.0f;
  for (uint slab = 0; slab < n; slab += edge) {
    tile_a[t.y][t.x] = a[at.y * n + slab + t.x];
    tile_b[t.y][t.x] = b[(slab + t.y) * n + at.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < edge; k++) {
      sum = fma(tile_a[t.y][k], tile_b[k][t.x], sum);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  c[at.y * n + at.x] = sum;
}
