#include <metal_stdlib>
using namespace metal;
kernel void sum(device half *a, device int *n) {
  atomicAdd(&n[0], 1);
  //~^ error[MSL0200]: nothing named `atomicAdd` is declared
  float v = a[0];
  v += __shfl_down_sync(0xffffffff, v, 16);
  //~^ error[MSL0200]: nothing named `__shfl_down_sync` is declared
  a[0] = __float2half(v);
  //~^ error[MSL0200]: nothing named `__float2half` is declared
  __syncthreads();
  //~^ error[MSL0200]: nothing named `__syncthreads` is declared
}
