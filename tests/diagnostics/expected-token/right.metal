kernel void k(device float *a) {
  a[0] = 1.0f;
  if (a[1]) { }
}
struct S { int a; };
