kernel void k(device float *a, device float *b) {
  b[0] = a[0];
}
