kernel void one(device float *a) {
  float x = 1;
  auto add = [](float y) { return x + y; };
  //~^ error[MSL0229]: this lambda does not take `x`
  a[0] = add(2);
}
