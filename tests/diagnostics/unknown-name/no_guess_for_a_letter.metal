struct Sum { float x; };
kernel void one(device float *a) {
  a[0] = S;
  //~^ error[MSL0200]: nothing named `S` is declared
}
