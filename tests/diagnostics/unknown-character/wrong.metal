kernel void k(device float *a) {
  a[0] = 1 @ 2;
  //~^ error[MSL0001]: `@` begins no token
  a[1] = 2;
}
