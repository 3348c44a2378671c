// Overloads drop out when their types do not exist.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[1,2,1,0]
#include <metal_stdlib>
using namespace metal;

template <typename T, enable_if_t<is_integral_v<T>, bool> = true> static int kind(T) { return 1; }
template <typename T, enable_if_t<is_floating_point_v<T>, bool> = true> static int kind(T) { return 2; }
struct HasType { using type = int; };
template <typename T, typename = void> struct Has { static constant constexpr int value = 0; };
template <typename T> struct Has<T, void_t<typename T::type>> { static constant constexpr int value = 1; };
kernel void k(device int* out) {
  out[0] = kind(3); out[1] = kind(3.0f);
  out[2] = Has<HasType>::value; out[3] = Has<int>::value;
}
