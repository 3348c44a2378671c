kernel void k(device float *a) {
  if (a[0] > 0) {
  //~^ error[MSL0106]: this `{` is never closed
    a[1] = 1;
}
