struct Shape { uint width, height; };
kernel void one(device float *a, constant Shape &shape, constant Shape *all) {
  a[0] = shape.widht;
  //~^ error[MSL0203]: `Shape` has no member `widht`
  a[1] = shape->width;
  //~^ error[MSL0203]: `Shape` is an object, no pointer
  a[2] = all.height;
  //~^ error[MSL0203]: `constant Shape *` is a pointer
}
