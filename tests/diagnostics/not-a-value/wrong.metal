struct Pair { int x, y; };
kernel void one(device int *a) {
  a[0] = Pair;
  //~^ error[MSL0202]: `Pair` is no value
}
