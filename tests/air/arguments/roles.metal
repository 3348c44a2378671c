// Roles, names and sizes of arguments, as reflection shows them.
#include <metal_stdlib>
using namespace metal;

struct Inner {
  float3 at;
  bool flag;
};

struct Params {
  int count;
  float scale[4];
  Inner inner;
};

[[max_total_threads_per_threadgroup(128)]]
kernel void roles(device const float4 *input [[buffer(0)]],
                  device float *output [[buffer(1)]],
                  constant Params &params [[buffer(2)]],
                  constant uint &size [[buffer(3)]],
                  threadgroup float *scratch [[threadgroup(0)]],
                  uint3 position [[thread_position_in_grid]],
                  uint lane [[thread_index_in_simdgroup]],
                  ushort2 unused [[thread_position_in_threadgroup]]) {
  scratch[lane] = input[position.x].w * params.scale[position.y] + params.inner.at.z;
  output[position.x] = scratch[lane] + size;
}
