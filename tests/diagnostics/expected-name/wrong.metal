kernel void k(device float *a) {
  float device = 1.0f;
  //~^ error[MSL0102]: expected the name that is declared, found the keyword `device`
  a[0] = 2.0f;
}
struct { int a; int; } s;
//~^ error[MSL0102]: this declares nothing
