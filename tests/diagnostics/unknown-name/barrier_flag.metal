#include <metal_stdlib>
using namespace metal;
kernel void wait(device float *a) {
  threadgroup_barrier(mem_threadgroup);
  //~^ error[MSL0200]: nothing named `mem_threadgroup` is declared
}
