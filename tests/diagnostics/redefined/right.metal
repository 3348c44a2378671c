constant int size = 1;
kernel void one(device float *a) {
  int i = size;
  { float i = 1; a[1] = i; }
  a[0] = i;
}
