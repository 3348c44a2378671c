#include <metal_stdlib>
using namespace metal;
float blend(float x, float y) { return (x + y) / 2; }
kernel void one(device float *a, device float3 *v) {
  a[0] = blend(1, 2);
  a[1] = sqrt(a[0]);
  a[2] = blend(a[0], v[0].x);
  threadgroup_barrier(mem_flags::mem_threadgroup);
}
