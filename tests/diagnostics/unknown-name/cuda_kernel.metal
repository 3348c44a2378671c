__global__ void one(float *a) {
  //~^ error[MSL0200]: `__global__` is no word of Metal
  a[0] = 1;
}
