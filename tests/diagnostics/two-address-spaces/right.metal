kernel void k(device float *a) {
  thread const device float *p = a;
  a[0] = *p;
}
