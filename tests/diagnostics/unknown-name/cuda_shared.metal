kernel void reverse(device float *a, uint t [[thread_index_in_threadgroup]]) {
  __shared__ float s[32];
  //~^ error[MSL0200]: `__shared__` is no word of Metal
}
