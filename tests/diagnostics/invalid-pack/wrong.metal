template <typename... T> int sum(T... x) { return x; }
  //~^ error[MSL0206]: a pack must be expanded with `...`
kernel void one(device int *a) {
  a[0] = sum(1, 2);
}
