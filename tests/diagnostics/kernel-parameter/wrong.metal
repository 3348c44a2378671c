kernel void one(device float *a, int n, float i [[thread_position_in_grid]], uint3 lane [[thread_index_in_simdgroup]]) {
  //~^ error[MSL0236]: nothing says what the kernel's parameter `n` holds
  //~^^ error[MSL0236]: `i` is `thread_position_in_grid` and has type `float`
  //~^^^ error[MSL0236]: `lane` is `thread_index_in_simdgroup` and has type `uint3`
  a[0] = n;
}
kernel void two(device float **a, int (*f)(int), thread float *p) {
  //~^ error[MSL0236]: the kernel's parameter `a` points to pointers
  //~^^ error[MSL0236]: the kernel's parameter `f` points to a function
  //~^^^ error[MSL0236]: the kernel's parameter `p` points to `thread` memory
  a[0][0] = 1;
}
