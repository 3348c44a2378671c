kernel void one(device float *a) {
  auto x = a[1];
  a[0] = x;
}
