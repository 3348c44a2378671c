kernel void one(device float *a) {
  total = 1;
  //~^ error[MSL0200]: nothing named `total` is declared
  a[0] = total + total;
}
kernel void two(device float *a) {
  a[0] = total;
  //~^ error[MSL0200]: nothing named `total` is declared
}
