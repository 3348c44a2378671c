#include <metal_stdlib>
#pragma mark - kernels
#
kernel void k() {}
