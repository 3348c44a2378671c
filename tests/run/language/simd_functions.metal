// Sums, shuffles and votes over the simdgroup.
// run: kernel=k grid=8 threadgroup=8 out=zeros:i32[10] expect.out=i32:[28,28,1,2,3,4,5,6,7,7]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out, uint t [[thread_position_in_grid]], ushort lane [[thread_index_in_simdgroup]]) {
  int total = simd_sum(int(lane));
  int next = simd_shuffle_down(int(lane), ushort(1));
  int last = simd_broadcast(int(lane), ushort(7));
  if (t == 0) { out[0] = total; out[1] = simd_any(lane < 8) ? total : 0; }
  if (t < 7) out[2 + t] = next;
  if (t == 7) out[9] = last;
}
