kernel void k(device char *a) {
  a[0] = '\n';
  a[1] = '\'';
}
