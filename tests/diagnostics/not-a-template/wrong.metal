struct Pair { int x, y; };
float half_of(float x) { return x / 2; }
kernel void one(device float *a, device Pair<int> *p) {
  //~^ error[MSL0204]: `Pair` is no template
  a[0] = 1;
}
