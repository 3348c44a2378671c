kernel void k(device threadgroup float *a) {
  //~^ error[MSL0108]: `threadgroup` stands beside `device`
  a[0] = 1;
}
