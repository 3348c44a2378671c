// kernel: add_float
template <typename T> kernel void add(device T *x) {
  x[0] += 1;
}
template [[host_name("add_float")]] kernel void add<float>(device float *x);
