kernel void one(device float *a) {
  float x = 1;
  a[0] = x;
}
