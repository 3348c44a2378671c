// Vectors of three, packed vectors, truth values and swizzles in memory.
#include <metal_stdlib>
using namespace metal;

struct Mixed {
  bool flag;
  packed_float3 packed;
  float3 wide;
  bool2 flags;
};

kernel void vectors(device Mixed *x, uint g [[thread_position_in_grid]]) {
  Mixed m = x[g];
  m.wide.zx = float2(m.packed.y, m.packed.x);
  m.packed = float3(m.wide.x) + float3(m.packed);
  m.flags = bool2(m.flag, !m.flag);
  m.flag = any(m.flags && (m.wide.xy > 1.0f));
  x[g] = m;
}
