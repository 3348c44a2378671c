template <typename T> struct Tile {
  static_assert(sizeof(T) <= 4, "elements of a tile have up to 4 bytes");
  T x[8];
};
kernel void one(device float *a) {
  Tile<float> tile;
  tile.x[0] = 1;
  a[0] = tile.x[0];
}
