kernel void one(device int *a) {
  if (a[0]) break;
  //~^ error[MSL0234]: `break` stands outside of a loop or `switch`
  continue;
  //~^ error[MSL0234]: `continue` stands outside of a loop
  switch (a[0]) {
    case 1: a[0] = 2; break;
    case 1: break;
  //~^ error[MSL0234]: `case 1` stands twice in this `switch`
  }
}
kernel void two(device float *a) {
  switch (a[0]) {
  //~^ error[MSL0234]: `switch` chooses by an integer, this is `float`
    case 1: break;
  }
}
