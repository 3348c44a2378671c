struct Scale {
  float by;
  explicit Scale(float x) : by(x) {}
};
kernel void one(device float *a) {
  Scale s = 2.0f;
  //~^ error[MSL0223]: cannot convert `float` to `Scale`
  a[0] *= s.by;
}
