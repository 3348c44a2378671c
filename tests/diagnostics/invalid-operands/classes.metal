struct Offset {
  float x;
  Offset operator+(thread const Offset &other) thread const { return Offset{x + other.x}; }
};
struct Plain { float x; };
kernel void one(device Offset *a, device Plain *b, device int *o) {
  a[0] = a[0] + a[1];
  //~^ error[MSL0224]: no `operator+` takes a `Offset` here
  o[0] = b[0] == b[1];
  //~^ error[MSL0224]: no `operator==` takes a `Plain` here
}
