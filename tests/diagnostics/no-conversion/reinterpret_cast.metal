kernel void bits(device float *a, device uint *b) {
  a[0] = reinterpret_cast<float>(b[0]);
  //~^ error[MSL0223]: `reinterpret_cast` does not make a `float` of a `uint`
}
