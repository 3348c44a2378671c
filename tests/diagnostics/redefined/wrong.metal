constant int size = 1;
constant int size = 2;
  //~^ error[MSL0211]: `size` is defined twice
kernel void one(device float *a) {
  int i = 0;
  float i = 1;
  //~^ error[MSL0211]: `i` is declared twice in this scope
  a[0] = i;
}
