kernel void k(device float *a) {
  a[0] = 1; // an @ in a comment
}
