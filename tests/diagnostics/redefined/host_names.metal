template <typename T> kernel void fill(device T *a) { a[0] = 1; }
template [[host_name("fill")]] kernel void fill<float>(device float *a);
template [[host_name("fill")]] kernel void fill<int>(device int *a);
  //~^ error[MSL0211]: two kernels are called `fill`
