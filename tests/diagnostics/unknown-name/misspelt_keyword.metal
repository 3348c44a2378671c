kernal void one(device float *a) {
  //~^ error[MSL0200]: `kernal` is no word of Metal
  a[0] = 1;
}
kernel void two(devcie float *a) {
  //~^ error[MSL0200]: `devcie` is no word of Metal
  a[0] = 1;
}
