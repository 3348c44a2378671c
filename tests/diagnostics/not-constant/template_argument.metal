template <int N> int times() { return N; }
kernel void one(device int *a, constant int &n) {
  a[0] = times<n>();
  //~^ error[MSL0217]: this value is not known when compiling
}
