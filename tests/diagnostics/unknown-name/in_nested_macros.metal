#define A(x) B(x) + 1
#define B(x) C(x) * 2
#define C(x) missing(x)
kernel void one(device float *a) {
  a[0] = A(a[0]);
  //~^ error[MSL0200]: nothing named `missing` is declared
}
