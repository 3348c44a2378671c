template <typename T, int N> struct Tile { T x[N]; };
struct Shape { int rows; };
template <Shape S> int rows() { return S.rows; }
kernel void one(device Tile<4, float> *a, device Tile<float> *b, device int *o) {
  //~^ error[MSL0205]: a type must stand here
  //~^^ error[MSL0205]: `Tile` needs an argument for its parameter `N`
  o[0] = rows<Shape{1}>();
}
