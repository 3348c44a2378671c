kernel void k(device float *b) {
  float a[1 << 30];
  //~^ error[MSL0502]: this object takes 4294967296 bytes
  a[0] = 1;
  b[0] = a[0];
}
