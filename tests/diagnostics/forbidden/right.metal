kernel void one(device float *a) {
  float x = 3.14;
  float p[4] = {};
  if (a[0] < 0) return;
  a[0] = x + p[0];
}
struct Shape {
  float area() { return 0; }
};
