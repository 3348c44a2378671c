kernel void one(device float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  //~^ error[MSL0200]: nothing named `blockIdx` is declared
  //~^^ error[MSL0200]: nothing named `blockDim` is declared
  //~^^^ error[MSL0200]: nothing named `threadIdx` is declared
  a[i] = 1;
}
