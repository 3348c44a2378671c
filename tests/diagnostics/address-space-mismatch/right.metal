kernel void one(device float *a, threadgroup float *t, constant bool &c) {
  *t = *a;
  device float *p = a;
  device float &x = a[0];
  float q = c ? *a : *t;
  x = q + *p;
}
