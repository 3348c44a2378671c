kernel one(device float *a) {
  //~^ error[MSL0103]: the kernel `one` says no result type
  a[0] = 1;
}
