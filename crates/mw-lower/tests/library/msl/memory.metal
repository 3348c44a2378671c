// Atomics and simdgroup matrices as sources write them.
#include <metal_stdlib>
using namespace metal;

kernel void k(device uint *out, device atomic_uint *counter [[buffer(1)]], device float *tile [[buffer(2)]],
              uint lane [[thread_index_in_simdgroup]]) {
  threadgroup atomic_int shared;
  if (lane == 0) {
    atomic_store_explicit(&shared, 0, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&shared, 2, memory_order_relaxed);
  atomic_fetch_max_explicit(counter, lane, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint expected = 31;
  bool done = lane == 0 && atomic_compare_exchange_weak_explicit(counter, &expected, 40u, memory_order_relaxed, memory_order_relaxed);
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);

  simdgroup_float8x8 a, c;
  simdgroup_matrix<half, 8, 8> b = make_filled_simdgroup_matrix<half, 8, 8>(2.0h);
  simdgroup_load(a, tile, 8);
  c = simdgroup_float8x8(0);
  simdgroup_multiply_accumulate(c, a, b, c);
  threadgroup float copy[64];
  simdgroup_store(c, copy, 8, 0, true);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  auto d = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);
  simdgroup_multiply(d, a, d);
  if (lane == 0) {
    out[0] = atomic_load_explicit(&shared, memory_order_relaxed) == 64;
    out[1] = done;
    out[2] = atomic_load_explicit(counter, memory_order_relaxed) == 40;
    out[3] = expected == 31;
    // The tile is zero at first.
    out[4] = copy[9] == 0.0f;
    out[5] = d.thread_elements()[0] == 0.0f && c.thread_elements().y == 0.0f;
    device atomic<float> *f = (device atomic<float> *)(tile + 64);
    atomic_fetch_add_explicit(f, 1.5f, memory_order_relaxed);
    out[6] = atomic_exchange_explicit(f, 3.0f, memory_order_relaxed) == 1.5f;
    out[7] = tile[64] == 3.0f;
  }
}
