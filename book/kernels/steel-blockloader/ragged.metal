// An 8 x 8 tile at the corner of a 5 x 6 matrix: what lies outside is zero, and no byte outside is read.
// run: kernel=ragged grid=32 threadgroup=32 x=arange:1,1:f32[5,6] tile=full:-1:f32[8,8] \
//   rows=u32:5 columns=u32:6 expect.tile=tile.npy
#include <metal_stdlib>
using namespace metal;

kernel void ragged(device const float* x [[buffer(0)]],
                   device float* tile [[buffer(1)]],
                   constant uint& rows [[buffer(2)]],
                   constant uint& columns [[buffer(3)]],
                   ushort t [[thread_index_in_threadgroup]]) {
  // 64 elements, 32 threads: two neighbours in a row for each thread.
  ushort row = t / 4;
  ushort column = 2 * (t % 4);
  for (ushort j = 0; j < 2; j++) {
    bool is_inside = row < rows && column + j < columns;
    // The address is always valid; only the value is replaced.
    uint index = is_inside ? row * columns + column + j : 0;
    float value = x[index];
    tile[row * 8 + column + j] = is_inside ? value : 0.0f;
  }
}
