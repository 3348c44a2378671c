template <typename T> T sum(T x, T y) { return x + y; }
template <typename T> T zero() { return T(0); }
template <typename T> T first(device T *p) { return *p; }
kernel void one(device float *a, constant float *b) {
  a[0] = sum(a[0], 1);
  //~^ error[MSL0220]: the arguments of `sum` give `T` two meanings: `float` and `int`
  a[1] = zero();
  //~^ error[MSL0220]: the arguments of `zero` do not say what `T` is
  a[2] = first(b);
  //~^ error[MSL0220]: `constant float *` does not match the parameter `device T *` of `first`
}
