template <typename T> T twice(T x) { return 2 * x; }
kernel void one(device float *a) {
  a[0] = twice<float, 4>(a[0]);
  //~^ error[MSL0205]: `twice` takes 1 template argument, 2 are given
}
