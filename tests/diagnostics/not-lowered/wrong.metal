#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> image [[texture(0)]], device float *a) {
  //~^ error[MSL0500]: texture2d is not supported here yet
  a[0] = 1;
}
