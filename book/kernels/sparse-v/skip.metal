// The output of attention from finished weights: rows of V whose weight is below the threshold are not loaded.
// Of 64 weights 4 are large; the other 60 rows are skipped, and counted.
// run: kernel=skip grid=32 threadgroup=32 weights=weights.npy v=arange:-2,0.001953125:f32[64,32] \
//   threshold=f32:1e-6 \
//   out=zeros:f32[32] skipped=zeros:u32[1] expect.out=out.npy expect.skipped=u32:[60] \
//   tol=rtol=1e-4,atol=1e-5
#include <metal_stdlib>
using namespace metal;

kernel void skip(device const float* weights [[buffer(0)]],
                 device const float* v [[buffer(1)]],
                 constant float& threshold [[buffer(2)]],
                 device float* out [[buffer(3)]],
                 device uint* skipped [[buffer(4)]],
                 uint lane [[thread_index_in_simdgroup]]) {
  float sum = 0.0f;
  uint count = 0;
  for (uint token = 0; token < 64; token++) {
    float weight = weights[token];
    // The same for all lanes: the whole simdgroup skips the load.
    if (weight < threshold) {
      count++;
      continue;
    }
    sum = fma(weight, v[token * 32 + lane], sum);
  }
  out[lane] = sum;
  if (lane == 0) {
    skipped[0] = count;
  }
}
