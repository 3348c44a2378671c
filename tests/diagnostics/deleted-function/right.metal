float root(float x) { return x; }
float root(int x) = delete;
kernel void one(device float *a) {
  a[0] = root(2.0f);
}
