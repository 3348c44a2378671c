template <typename... T> int sum(T... x) { return (x + ...); }
kernel void one(device int *a) {
  a[0] = sum(1, 2);
}
