kernel void one(device float *a) {
  float x = 1;
  auto add = [x](float y) { return x + y; };
  a[0] = add(2);
}
