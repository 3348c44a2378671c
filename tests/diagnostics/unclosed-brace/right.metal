kernel void k(device float *a) {
  if (a[0] > 0) {
    a[1] = 1;
  }
}
