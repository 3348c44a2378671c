float total(float x, uint t) {
  threadgroup float s[32];
  //~^ error[MSL0212]: the `threadgroup` variable `s` stands in a function that is no kernel
  s[t] = x;
  return s[0];
}
kernel void one(device float *a, uint t [[thread_index_in_threadgroup]]) {
  a[t] = total(a[t], t);
}
