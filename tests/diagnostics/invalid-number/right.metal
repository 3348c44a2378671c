kernel void k(device float *a) {
  a[0] = 1.0f + 0x1.8p1 + 1'000 + 0b11 + 2.h;
}
