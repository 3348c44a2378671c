enum class Mode { sum, product };
float apply(Mode mode, float x) {
  switch (mode) {
    case Mode::sum: return x + x;
    case Mode::product: return x * x;
  }
}
float search(float x) {
  while (true) {
    if (x > 8) return x;
    x += 1;
  }
}
float choose(int x) {
  switch (x) {
    case 0: return 1;
    default: return 2;
  }
}
int last(int x) {
  do { return 1; } while (x);
}
template <bool is_sum> float fold(float x) {
  if constexpr (is_sum) { return x + x; } else { return x * x; }
}
kernel void one(device float *a) {
  a[0] = apply(Mode::sum, a[0]) + search(a[1]) + choose(1) + last(1) + fold<true>(1);
}
