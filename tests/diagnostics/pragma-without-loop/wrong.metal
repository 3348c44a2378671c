kernel void k(device int *a) {
#pragma unroll
  //~^ error[MSL0110]: a loop pragma must stand before a `for`, `while` or `do` loop
  a[0] = 1;
}
