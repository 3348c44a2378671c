struct Pair { int x, y; };
kernel void one(device int *a) {
  Pair p = {1, 2};
  a[0] = p.x;
}
