struct Counter {
  float n;
  void reset() { n = 0; }
};
kernel void one(device float *a, constant float *b, device float4 *c) {
  float x = 1;
  x = 2;
  a[0] = b[0] + x;
  c[0].xy = 1;
}
