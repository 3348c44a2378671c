struct Pair { float x, y; }
  //~^ error[MSL0100]: expected `;` after the definition
kernel void one(device Pair *a) {
  a[0].x = 1;
}
