kernel void one(device float *a) {
  register int i = 0;
  //~^ error[MSL0112]: Metal has no `register`
  thread_local float x = 1;
  //~^ error[MSL0112]: Metal has no `thread_local`
  a[i] = x;
}
