struct Counter {
  float n;
  void reset() const { n = 0; }
};
kernel void one(const device float *a, constant float *b, device float4 *c) {
  const float x = 1;
  x = 2;
  //~^ error[MSL0225]: an object of type `const float` cannot be changed
  a[0] = 1;
  //~^ error[MSL0225]: an object of type `device const float` cannot be changed
  b[0] = 1;
  //~^ error[MSL0225]: an object of type `constant float` cannot be changed
  c[0].xx = 1;
  //~^ error[MSL0225]: a component is named twice on the left side
  5 = 3;
  //~^ error[MSL0225]: a value that lives in no variable cannot be changed
}
