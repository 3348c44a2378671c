float one() {
  return;
  //~^ error[MSL0233]: `return` without a value in a function that returns `float`
}
kernel void two(device float *a) {
  return a[0];
  //~^ error[MSL0233]: a `void` function returns no value
}
