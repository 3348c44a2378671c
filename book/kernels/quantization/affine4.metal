// A row of 64 weights in 4 bits, with one scale and one bias, times a vector: 32 bytes instead of 128.
// sum of (code * scale + bias) * x  =  scale * sum of code * x  +  bias * sum of x
// run: kernel=affine4 grid=128 threadgroup=64 codes=arange:7,13:u8[4,32] \
//   scales=arange:0.5,0.25:f32[4] \
//   biases=arange:-4,1:f32[4] x=arange:-1,0.03125:f32[64] y=zeros:f32[4] expect.y=y.npy \
//   tol=rtol=1e-5,atol=1e-5
#include <metal_stdlib>
using namespace metal;

kernel void affine4(device const uchar* codes [[buffer(0)]],
                    device const float* scales [[buffer(1)]],
                    device const float* biases [[buffer(2)]],
                    device const float* x [[buffer(3)]],
                    device float* y [[buffer(4)]],
                    uint i [[thread_position_in_grid]],
                    uint lane [[thread_index_in_simdgroup]]) {
  uint row = i / 32;
  uchar pair = codes[row * 32 + lane];
  float low = x[2 * lane];
  float high = x[2 * lane + 1];
  float product = simd_sum(float(pair & 15) * low + float(pair >> 4) * high);
  float sum = simd_sum(low + high);
  if (lane == 0) {
    y[row] = scales[row] * product + biases[row] * sum;
  }
}
