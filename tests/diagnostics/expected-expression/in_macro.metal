#define SCALE(x) (x * )
#define TWICE(x) SCALE(x) + SCALE(x)
kernel void k(device float *a) {
  a[0] = TWICE(a[1]);
  //~^ error[MSL0101]: expected an expression, found `)`
  a[1] = 1;
}
