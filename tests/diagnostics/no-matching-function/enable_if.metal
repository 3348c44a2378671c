#include <metal_stdlib>
using namespace metal;
template <typename T, typename = enable_if_t<is_floating_point_v<T>>> T half_of(T x) { return x / 2; }
kernel void one(device int *a) {
  a[0] = half_of(a[0]);
  //~^ error[MSL0220]: the template `half_of` is not made for `T` = `int`
}
