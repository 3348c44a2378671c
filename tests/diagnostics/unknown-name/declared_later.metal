kernel void one(device float *a) {
  a[0] = twice(a[0]);
  //~^ error[MSL0200]: nothing named `twice` is declared
}
float twice(float x) { return 2 * x; }
