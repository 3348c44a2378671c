#define CAT(a, b) a ## b
kernel void k(device int *a) {
  a[0] = CAT(1, 2);
  a[1] CAT(+, =) CAT(, 1);
}
