template <typename T> struct Pair { T x, y; };
kernel void one(device float *a, device Pair<int> *p) {
  a[0] = p[0].x;
}
