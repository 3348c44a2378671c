template <int N> struct Count { static constexpr constant int value = 1 + Count<N - 1>::value; };
template <> struct Count<0> { static constexpr constant int value = 0; };
kernel void one(device int *a) {
  a[0] = Count<64>::value;
}
