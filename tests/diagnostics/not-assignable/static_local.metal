kernel void one(device int *a) {
  static int counter = 0;
  counter++;
  //~^ error[MSL0225]: an object of type `constant int` cannot be changed
  a[0] = counter;
}
