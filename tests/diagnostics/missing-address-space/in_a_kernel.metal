kernel void one(device float *y, uint t [[thread_index_in_threadgroup]]) {
  threadgroup float buf[32];
  void *p = (void *)((char *)buf + 4 * t);
  //~^ error[MSL0230]: this pointer to `void` says no address space
  *(float *)p = float(t);
  //~^ error[MSL0230]: this pointer to `float` says no address space
  y[t] = buf[t];
}
