constant int count = 4;
kernel void one(device float *a) {
  int x = count;
  a[0] = x;
}
