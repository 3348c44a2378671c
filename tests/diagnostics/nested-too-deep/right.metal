kernel void k(device float *a) {
  float sum = 0;
  for (int i = 0; i < 512; ++i) sum += a[1];
  a[0] = sum;
}
