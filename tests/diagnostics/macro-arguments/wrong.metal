#define ADD(a, b) a + b
kernel void k(device int *a) {
  a[0] = ADD(1);
  //~^ error[MSL0027]: the macro `ADD` takes 2 arguments, and 1 is given
  a[1] = ADD(1, 2);
}
