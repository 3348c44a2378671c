#include <metal_stdlib>
using namespace metal;
constexpr sampler linear(coord::normalized, address::repeat, filter::linear);
kernel void one(texture2d<float> image [[texture(0)]], device float4 *out) {
  out[0] = image.sample(linear, float2(0.5f));
  //~^ error[MSL0214]: `texture2d` is not supported in compute kernels here
}
