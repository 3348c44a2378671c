kernel void k(device int *a) {
  if (a[0] == 0) {
    a[0] = 1;
  }
}
