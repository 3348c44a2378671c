kernel void k(device float *a) {
  float factor = 1.0f;
  a[0] = factor;
}
