// One function, two pipelines: with a bias, and without one.
// run: kernel=add_bias grid=4 threadgroup=4 y=f32:[1,2,3,4] bias=f32:[10,20,30,40] \
//   constant.0=true expect.y=f32:[11,22,33,44]
// run: kernel=add_bias grid=4 threadgroup=4 y=f32:[1,2,3,4] constant.0=false expect.y=f32:[1,2,3,4]
#include <metal_stdlib>
using namespace metal;

constant bool has_bias [[function_constant(0)]];

kernel void add_bias(device float* y [[buffer(0)]],
                     device const float* bias [[buffer(1), function_constant(has_bias)]],
                     uint i [[thread_position_in_grid]]) {
  if (has_bias) {
    y[i] += bias[i];
  }
}
