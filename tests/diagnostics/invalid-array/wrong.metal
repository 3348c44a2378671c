kernel void one(device float *a) {
  float x[-1];
  //~^ error[MSL0209]: an array cannot have -1 elements
  a[0] = 1;
}
