template <int N> int count() { return count<N - 1>() + 1; }
  //~^ error[MSL0218]: templates instantiate each other more than 512 levels deep
kernel void one(device int *a) {
  a[0] = count<4>();
}
