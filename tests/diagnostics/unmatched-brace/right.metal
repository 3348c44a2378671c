kernel void k(device float *a) {
  { a[1] = 1; }
}
