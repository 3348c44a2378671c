kernel void k(device int *a) {
  try {
  //~^ error[MSL0112]: Metal has no exceptions
    a[0] = 1;
  } catch (...) {
  }
  a[1] = 1;
}
