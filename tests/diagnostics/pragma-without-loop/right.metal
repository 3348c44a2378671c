#define UNROLL(n) _Pragma("unroll")
kernel void k(device int *a) {
#pragma unroll(4)
  for (int i = 0; i < 4; ++i) a[i] = 1;
  UNROLL(2) while (a[0] < 3) a[0]++;
}
