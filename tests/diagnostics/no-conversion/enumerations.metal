enum class Mode { sum, product };
kernel void one(device int *a) {
  a[0] = Mode::sum;
  //~^ error[MSL0223]: cannot convert `Mode` to `int`
  Mode m = 1;
  //~^ error[MSL0223]: cannot convert `int` to `Mode`
}
