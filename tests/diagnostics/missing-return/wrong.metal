float sign_of(float x) {
  if (x > 0) return 1;
  if (x < 0) return -1;
}
  //~^ warning[MSL0237]: `sign_of` can end without returning a value
template <typename T> T first(T x) {
  for (int i = 0; i < 4; ++i) return x;
}
  //~^ warning[MSL0237]: `first` can end without returning a value
kernel void one(device float *a) {
  auto f = [](float x) -> float { if (x > 0) return x; };
  //~^ warning[MSL0237]: this lambda can end without returning a value
  a[0] = sign_of(a[0]) + first(a[1]) + first(1) + f(2);
}
