template <typename T> T inner(T x) { return x.weight; }
  //~^ error[MSL0203]: `float` has no member `weight`
template <typename T> T outer(T x) { return inner(x) + 1; }
kernel void one(device float *a) {
  a[0] = outer(a[0]);
}
