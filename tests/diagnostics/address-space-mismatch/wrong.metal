kernel void one(device float *a, threadgroup float *t, constant bool &c) {
  t = a;
  //~^ error[MSL0231]: cannot convert `device float *` to `threadgroup float *`
  device float *p = t;
  //~^ error[MSL0231]: cannot convert `threadgroup float *` to `device float *`
  float &x = a[0];
  //~^ error[MSL0230]: this reference to `float` says no address space
  auto q = c ? a : t;
  //~^ error[MSL0231]: one pointer leads to `device` memory, the other to `threadgroup` memory
}
