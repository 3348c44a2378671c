template <typename T> kernel void k(device T *a) { a[0] = 1; }
template [[host_name("k_float")]] kernel void k<float>(device float *);
#if 0
it's skipped
#endif
