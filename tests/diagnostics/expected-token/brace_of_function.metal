kernel void one(device float *a)
  //~^ error[MSL0100]: expected `{` before the body of the function
  a[0] = 1;
  for (int i = 0; i < 4; ++i) { a[i] = 1; }
}

kernel void two(device float *a) {
  a[0] = 1;
}
