kernel void k(device float *a) {
  a[1] = 1; }
}
//~^ error[MSL0107]: this `}` closes nothing
kernel void l() {}
