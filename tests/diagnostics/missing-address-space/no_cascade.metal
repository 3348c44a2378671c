float first(float *p) { return *p; }
  //~^ error[MSL0230]: this pointer to `float` says no address space
kernel void one(device float *a) {
  a[0] = first(a);
  a[1] = first(a + 1);
}
