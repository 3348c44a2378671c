#define SCALE(x) ((x) * scale)
kernel void one(device float *a) {
  a[0] = SCALE(a[0]);
  //~^ error[MSL0200]: nothing named `scale` is declared
  a[1] = SCALE(a[1]);
}
kernel void two(device float *a) {
  a[0] = SCALE(a[0]);
}
