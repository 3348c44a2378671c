struct Entry { int index; half weight; };
kernel void one(device Entry *entries, device float *f, device int *n, device char *c) {
  int x{f[0]};
  //~^ error[MSL0238]: `float` does not become `int` in braces: it may lose its value
  entries[0] = Entry{n[0], f[0]};
  //~^ error[MSL0238]: `float` does not become `half` in braces: it may lose its value
  char bytes[2] = {300, n[0]};
  //~^ error[MSL0238]: `int` does not become `char` in braces: it may lose its value
  c[0] = bytes[0] + x;
}
