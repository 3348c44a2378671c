template <typename T> struct Pair { T x, y; };
kernel void one(device Pair<float> *p) {
  p[0].x = 1;
}
