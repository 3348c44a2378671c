template <int N> struct Count { static constexpr constant int value = Count<N + 1>::value; };
  //~^ error[MSL0218]: templates instantiate each other more than 160 levels deep
kernel void one(device int *a) {
  a[0] = Count<0>::value;
}
