#include <metal_stdlib>
using namespace metal;
kernel void one(device float *a) {
  threadgroup_barrier(mem_flags::threadgroup);
  //~^ error[MSL0102]: expected a name after `::`, found the keyword `threadgroup`
}
