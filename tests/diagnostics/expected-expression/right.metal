kernel void k(device float *a) {
  a[0] = 1.0f + +2.0f;
  a[1] = float();
}
