kernel void one(device float *a) {
  double x = 3.14;
  //~^ error[MSL0213]: Metal has no type `double`
  thread float *p = new float[4];
  //~^ error[MSL0213]: Metal has no `new`
  if (a[0] < 0) throw 1;
  //~^ error[MSL0213]: Metal has no `throw`
  auto &t = typeid(float);
  //~^ error[MSL0213]: Metal has no `typeid`
  goto end;
  //~^ error[MSL0213]: Metal has no `goto`
end:
  a[0] = x;
}
struct Shape {
  virtual float area() { return 0; }
  //~^ error[MSL0213]: Metal has no virtual functions
};
