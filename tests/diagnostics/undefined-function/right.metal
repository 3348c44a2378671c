float twice(float x);
kernel void one(device float *a) {
  a[0] = twice(a[0]);
}
float twice(float x) { return 2 * x; }
