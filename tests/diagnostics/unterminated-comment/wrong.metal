kernel void k(device float *a) {
  a[0] = 1;
}
//~v error[MSL0002]: this comment has no end
/* kernel void l() {}
