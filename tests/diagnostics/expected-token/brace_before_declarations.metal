kernel void one(device float *a)
  //~^ error[MSL0100]: expected `{` before the body of the function
  int x = 1;
  a[0] = x;
  a[1] = x;
}

kernel void two(device float *a) {
  a[0] = 1;
}
