#include <metal_stdlib>
using namespace metal;
kernel void relu(device half *a, device float *b, device uint *c, constant int &n) {
  a[0] = max(a[0], half(0.0f));
  b[0] = max(b[0], 0.0f);
  b[1] = clamp(b[1], 0.0f, 1.0f);
  c[0] = min(c[0], uint(n));
}
