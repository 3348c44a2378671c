// Function constants, what is derived from them, and a parameter that one of them gates.
#include <metal_stdlib>
using namespace metal;

constant bool has_bias [[function_constant(0)]];
constant int factor [[function_constant(1)]];
constant int doubled = factor * 2;
constant bool is_set = is_function_constant_defined(factor);

kernel void constants(device float *x [[buffer(0)]],
                      device const float *bias [[buffer(1), function_constant(has_bias)]],
                      uint g [[thread_position_in_grid]]) {
  float value = x[g] * (is_set ? doubled : 1);
  if (has_bias) {
    value += bias[g];
  }
  x[g] = value;
}
