#include <metal_stdlib>
using namespace metal;
kernel void one(device float *a) {
  array<float, 4> x = {1, 2, 3, 4};
  a[0] = x.length();
  //~^ error[MSL0203]: `array<float, 4>` has no member `length`
}
