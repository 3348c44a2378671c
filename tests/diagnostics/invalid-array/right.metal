kernel void one(device float *a) {
  float x[4] = {1, 2, 3, 4};
  a[0] = x[3];
}
