float first(float *p) { return *p; }
  //~^ error[MSL0230]: this pointer to `float` says no address space
struct Slice { float *data; };
  //~^ error[MSL0230]: this pointer to `float` says no address space
kernel void one(float *a, uint t [[thread_index_in_threadgroup]]) {
  //~^ error[MSL0230]: this pointer to `float` says no address space
  threadgroup float buf[32];
  void *p = (void *)((char *)buf + 4 * t);
  *(float *)p = float(t);
}
