#define CAT(a, b) a ## b
kernel void k(device int *a) {
  a[0] = 1 CAT(+, a[1]);
  //~^ error[MSL0028]: `##` makes `+a`, which is no single token
}
