kernel void k(device int *a) {
  long unsigned int x = 1;
  a[0] = x;
}
