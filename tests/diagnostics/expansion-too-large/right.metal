#define A(x) x x x x x x x x
kernel void k(device int *a) {
  A(A(A(a[0]++;)))
}
