void clear(device float *p) { *p = 0; }
kernel void one(const device float *a) {
  clear(a);
  //~^ error[MSL0220]: `clear` takes a `device float *` here, not `device const float *`
}
