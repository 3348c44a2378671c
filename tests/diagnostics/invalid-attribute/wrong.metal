kernel void one(device float *a [[buffer(0)]], device float *b [[buffer(0)]]) {
  //~^ error[MSL0235]: buffer number 0 is bound to two arguments
  a[0] = b[0];
}
kernel void two(device float *a, uint i [[thread_position_in_gird]]) {
  //~^ error[MSL0235]: a kernel's parameter has no attribute `thread_position_in_gird`
  a[i] = 1;
}
kernel void three(device float *a [[buffer(31)]]) {
  //~^ error[MSL0235]: there is no buffer number 31
  a[0] = 1;
}
