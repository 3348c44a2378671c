kernel void one(device float *a) {
  if (a[0] > 0) {
    a[0] = 1;
  }
  }
  //~^ error[MSL0107]: this `}` closes nothing
  a[1] = 1;
}
