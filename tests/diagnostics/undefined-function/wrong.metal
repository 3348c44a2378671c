float twice(float x);
kernel void one(device float *a) {
  a[0] = twice(a[0]);
  //~^ error[MSL0222]: `twice(float)` is declared but defined nowhere
}
