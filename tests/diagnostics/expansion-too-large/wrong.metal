#define A(x) x x x x x x x x
#define B(x) A(A(A(A(x))))
kernel void k(device int *a) {
  B(B(B(a[0]++;)))
  //~^ error[MSL0031]: macros and includes make more than 4000000 tokens
}
