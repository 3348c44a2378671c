// y = max(0, a x + b) as three kernels: each reads and writes the whole array.
// run: kernel=scale grid=8 threadgroup=8 x=arange:-4,1:f32[8] y=zeros:f32[8] a=f32:2 \
//   expect.y=arange:-8,2:f32[8]
// run: kernel=add grid=8 threadgroup=8 x=arange:-8,2:f32[8] y=zeros:f32[8] b=f32:1 \
//   expect.y=arange:-7,2:f32[8]
// run: kernel=relu grid=8 threadgroup=8 x=arange:-7,2:f32[8] y=zeros:f32[8] \
//   expect.y=f32:[0,0,0,0,1,3,5,7]
#include <metal_stdlib>
using namespace metal;

kernel void scale(device const float* x [[buffer(0)]],
                  device float* y [[buffer(1)]],
                  constant float& a [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
  y[i] = a * x[i];
}

kernel void add(device const float* x [[buffer(0)]],
                device float* y [[buffer(1)]],
                constant float& b [[buffer(2)]],
                uint i [[thread_position_in_grid]]) {
  y[i] = x[i] + b;
}

kernel void relu(device const float* x [[buffer(0)]],
                 device float* y [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  y[i] = max(x[i], 0.0f);
}
