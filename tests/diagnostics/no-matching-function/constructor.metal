struct Range {
  int first, last;
  Range(int a, int b) : first(a), last(b) {}
};
kernel void one(device int *a) {
  Range empty;
  //~^ error[MSL0220]: `Range` has no constructor without arguments
  Range range(1);
  //~^ error[MSL0220]: `Range` takes 2 arguments, 1 is given
  a[0] = range.first;
}
