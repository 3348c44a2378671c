float total(float x, uint t) {
  threadgroup float s[32];
  s[t] = x;
  return s[0];
}
kernel void one(device float *a, uint t [[thread_index_in_threadgroup]]) {
  a[t] = total(a[t], t);
}
