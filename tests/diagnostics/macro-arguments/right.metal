#define ADD(a, b) a + b
#define FIRST(a, ...) a
kernel void k(device int *a) {
  a[0] = ADD(, 1) + FIRST(1);
  a[1] = ADD((1, 2), 3);
}
