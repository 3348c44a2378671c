namespace tools {
kernel void one(device float *a) {
  for (int i = 0; i < 4; ++i) {
  //~^ error[MSL0106]: this `{` is never closed
    a[i] = 1;
}

kernel void two(device float *a) {
  a[0] = 1;
}
}
