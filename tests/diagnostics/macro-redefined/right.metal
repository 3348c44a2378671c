#define N 1
#define N  1
#undef N
#define N 2
kernel void k(device int *a) { a[0] = N; }
