kernel void k(device float *a) {
  a[0] = 1.0f + ;
  //~^ error[MSL0101]: expected an expression, found `;`
  a[1] = float;
  //~^ error[MSL0101]: expected an expression, found a type followed by `;`
}
