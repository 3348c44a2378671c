#include <metal_stdlib>
using namespace metal;
kernel void relu(device half *a, device float *b, device uint *c, constant int &n) {
  a[0] = max(a[0], 0.0f);
  //~^ error[MSL0219]: more than one `max` fits the arguments (device half, float) equally well
  b[0] = max(b[0], 0);
  //~^ error[MSL0219]: more than one `max` fits the arguments (device float, int) equally well
  b[1] = clamp(b[1], 0, 1);
  //~^ error[MSL0219]: more than one `clamp` fits the arguments (device float, int, int) equally well
  c[0] = min(c[0], n);
  //~^ error[MSL0219]: more than one `min` fits the arguments (device uint, constant int) equally well
}
