float positive(float x) {
  if (x > 0) {
  //~^ error[MSL0106]: this `{` is never closed
    x += 1;
  return x;
}

kernel void one(device float *a) {
  a[0] = positive(a[0]);
}
