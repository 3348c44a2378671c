kernel void k(device float *a) {
  //~^ error[MSL0106]: this `{` is never closed
  if (a[0] > 0) {
    a[1] = 1;
}
