float one() {
  return 1;
}
kernel void two(device float *a) {
  a[0] = one();
}
