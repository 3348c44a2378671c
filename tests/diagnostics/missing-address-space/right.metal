float first(device float *p) { return *p; }
struct Slice { device float *data; };
kernel void one(device float *a, uint t [[thread_index_in_threadgroup]]) {
  threadgroup float buf[32];
  threadgroup void *p = (threadgroup void *)((threadgroup char *)buf + 4 * t);
  *(threadgroup float *)p = float(t);
  a[t] = buf[t] + first(a);
}
