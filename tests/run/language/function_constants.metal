// Function constants choose code and arguments; one without a value is known to have none.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] constant.0=true constant.1=5 expect.out=i32:[1,5,11,0]
#include <metal_stdlib>
using namespace metal;

constant bool flag [[function_constant(0)]];
constant int width [[function_constant(1)]];
constant int missing [[function_constant(2)]];
constant int derived = width * 2 + 1;
constant int chosen = is_function_constant_defined(missing) ? missing : 0;

kernel void k(device int* out) {
  out[0] = flag;
  out[1] = width;
  out[2] = derived;
  out[3] = chosen;
}
