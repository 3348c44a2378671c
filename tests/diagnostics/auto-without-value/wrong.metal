kernel void one(device float *a) {
  auto x;
  //~^ error[MSL0207]: `auto` needs a value to take its type from
  a[0] = 1;
}
