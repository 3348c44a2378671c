#include <metal_stdlib>
using namespace metal;
struct Corner { float4 position [[position]]; };
vertex Corner corners(uint id [[vertex_id]]) {
  //~^ error[MSL0214]: graphics stages are not supported: only kernels are compiled
  Corner c;
  c.position = float4(id);
  return c;
}
fragment float4 red(Corner in [[stage_in]]) {
  //~^ error[MSL0214]: graphics stages are not supported: only kernels are compiled
  return float4(1, 0, 0, 1);
}
