template <typename T> struct Pair { T x, y; };
kernel void one(device Pair *p) {
  //~^ error[MSL0205]: `Pair` is a template and needs arguments
  p[0].x = 1;
}
