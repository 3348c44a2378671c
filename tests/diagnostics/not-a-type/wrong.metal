constant int count = 4;
kernel void one(device float *a) {
  count x;
  //~^ error[MSL0201]: `count` is no type
  a[0] = 1;
}
