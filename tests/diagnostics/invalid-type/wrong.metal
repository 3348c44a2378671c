kernel void one(device float *a) {
  void x;
  //~^ error[MSL0208]: a variable cannot have type `void`
  a[0] = 1;
}
