kernel void one(device float *a) {
  a[0] = a[1] − 1;
  //~^ error[MSL0001]: `−` begins no token
}
