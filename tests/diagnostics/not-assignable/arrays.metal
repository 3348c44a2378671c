kernel void one(device int *a) {
  int x[4] = {1, 2, 3, 4};
  int y[4];
  y = x;
  //~^ error[MSL0225]: an array cannot be assigned as a whole
  a[0] = y[0];
}
