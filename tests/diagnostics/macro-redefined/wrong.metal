#define N 1
#define N 2
//~^ warning[MSL0026]: the macro `N` is defined again with another body
kernel void k(device int *a) { a[0] = N; }
