// Each lane writes its number into its two elements; the stored matrix is the map of lanes.
// run: kernel=lanes grid=32 threadgroup=32 map=zeros:f32[8,8] expect.map=lanes.npy
#include <metal_stdlib>
using namespace metal;

kernel void lanes(device float* map [[buffer(0)]], uint lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 m;
  m.thread_elements()[0] = float(lane);
  m.thread_elements()[1] = float(lane);
  simdgroup_store(m, map, 8);
}
