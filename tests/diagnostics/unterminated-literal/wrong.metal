template <typename T> kernel void k(device T *a) { a[0] = 1; }
template [[host_name("k_float)]] kernel void k<float>(device float *);
//~^ error[MSL0003]: this string literal has no closing quote
