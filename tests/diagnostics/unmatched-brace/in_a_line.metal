kernel void one(device float *a) {
  for (int i = 0; i < 4; ++i) { if (i > 2) { break; } } }
  //~^ error[MSL0107]: this `}` closes nothing
  a[0] = 1;
  while (a[0] < 4) a[0] += 1;
}
