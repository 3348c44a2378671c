#define FOUR(x) x + x + x + x
#define SIXTEEN(x) FOUR(x) + FOUR(x) + FOUR(x) + FOUR(x)
#define SIXTY_FOUR(x) SIXTEEN(x) + SIXTEEN(x) + SIXTEEN(x) + SIXTEEN(x)
#define ALL(x) SIXTY_FOUR(x) + SIXTY_FOUR(x) + SIXTY_FOUR(x) + SIXTY_FOUR(x)
kernel void k(device float *a) {
  a[0] = ALL(a[1]) + ALL(a[2]);
  //~^ error[MSL0501]: this nests more than
}
