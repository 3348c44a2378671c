struct Entry { int index; half weight; };
kernel void one(device Entry *entries, device float *f, device int *n, device char *c) {
  int x{int(f[0])};
  entries[0] = Entry{n[0], half(f[0])};
  entries[1] = {1, 0.5f};
  char bytes[2] = {100, char(n[0])};
  c[0] = bytes[0] + x;
}
