#define DEFINE_OPERATOR(name, op) template <typename T> T name(T a, T b) { return a op b; }
DEFINE_OPERATOR(shift, <<)
  //~^ error[MSL0224]: `<<` does not go with `float` and `float`
template <typename T> kernel void each(device T *a, uint i [[thread_position_in_grid]]) {
  a[i] = shift(a[i], a[i + 1]);
}
#define INSTANTIATE(type) \
  template [[host_name("each_" #type)]] kernel void each<type>(device type *a, uint i [[thread_position_in_grid]]);
INSTANTIATE(int)
INSTANTIATE(float)
INSTANTIATE(half)
