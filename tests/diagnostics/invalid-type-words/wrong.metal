kernel void k(device int *a) {
  unsigned float x = 1;
  //~^ error[MSL0109]: these words make no type together
  short long y = 1;
  //~^ error[MSL0109]: `long` does not go with the words before it
}
