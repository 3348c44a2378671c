kernel void k(device float *a) {
  a[0] = 1.0q;
  //~^ error[MSL0004]: `1.0q` has a suffix that no number has
  a[1] = 09;
  //~^ error[MSL0004]: `09` has a digit that its base does not have
}
