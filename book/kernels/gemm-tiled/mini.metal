// The plan of the page at a size to read: one threadgroup computes 64 x 64 outputs, K = 32 in steps of 16.
// Four simdgroups own 32 x 32 outputs each: 4 x 4 fragments that stay in registers.
// run: kernel=mini grid=128 threadgroup=128 a=arange:-1,0.001953125:f32[64,32] \
//   b=arange:0.5,-0.0009765625:f32[32,64] c=zeros:f32[64,64] expect.c=product.npy
#include <metal_stdlib>
using namespace metal;

constant constexpr ushort edge = 64;   // outputs of the threadgroup, both ways
constant constexpr ushort depth = 16;  // of a slab
constant constexpr ushort total = 32;  // K

[[max_total_threads_per_threadgroup(128)]]
kernel void mini(device const float* a [[buffer(0)]],
                 device const float* b [[buffer(1)]],
                 device float* c [[buffer(2)]],
                 ushort t [[thread_index_in_threadgroup]],
                 ushort simdgroup_index [[simdgroup_index_in_threadgroup]]) {
  threadgroup float slab_a[edge * depth];
  threadgroup float slab_b[depth * edge];
  ushort row = 32 * (simdgroup_index / 2);
  ushort column = 32 * (simdgroup_index % 2);
  simdgroup_float8x8 sum[4][4];
  for (ushort i = 0; i < 4; i++) {
    for (ushort j = 0; j < 4; j++) {
      sum[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    }
  }
  for (ushort k0 = 0; k0 < total; k0 += depth) {
    // 1,024 floats a slab, 128 threads: neighbours load neighbours.
    for (ushort i = t; i < edge * depth; i += 128) {
      slab_a[i] = a[(i / depth) * total + k0 + i % depth];
      slab_b[i] = b[(k0 + i / edge) * edge + i % edge];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (ushort k = 0; k < depth; k += 8) {
      simdgroup_float8x8 left[4];
      simdgroup_float8x8 right[4];
      for (ushort i = 0; i < 4; i++) {
        simdgroup_load(left[i], slab_a + (row + 8 * i) * depth + k, depth);
        simdgroup_load(right[i], slab_b + k * edge + column + 8 * i, edge);
      }
      for (ushort i = 0; i < 4; i++) {
        for (ushort j = 0; j < 4; j++) {
          simdgroup_multiply_accumulate(sum[i][j], left[i], right[j], sum[i][j]);
        }
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (ushort i = 0; i < 4; i++) {
    for (ushort j = 0; j < 4; j++) {
      simdgroup_store(sum[i][j], c + (row + 8 * i) * edge + column + 8 * j, edge);
    }
  }
}
