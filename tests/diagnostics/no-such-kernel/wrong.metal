// kernel: add_float
//~^ error[MSL0503]: the program has no kernel `add_float`
template <typename T> kernel void add(device T *x) {
  x[0] += 1;
}
