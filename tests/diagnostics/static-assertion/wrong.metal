template <typename T> struct Tile {
  static_assert(sizeof(T) <= 4, "elements of a tile have up to 4 bytes");
  //~^ error[MSL0216]: static assertion failed: elements of a tile have up to 4 bytes
  T x[8];
};
kernel void one(device float *a) {
  Tile<long> tile;
}
