// Partial and full specialisation pick the closest match.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[5] expect.out=i32:[1,2,3,4,12]
#include <metal_stdlib>
using namespace metal;

template <typename T, int N> struct Which { static constant constexpr int value = 1; };
template <typename T> struct Which<T, 2> { static constant constexpr int value = 2; };
template <int N> struct Which<float, N> { static constant constexpr int value = 3; };
template <> struct Which<float, 2> { static constant constexpr int value = 4; };
template <typename T, int N> struct Box { T items[N]; int size() const { return N * int(sizeof(T)); } };
kernel void k(device int* out) {
  out[0] = Which<int, 1>::value; out[1] = Which<int, 2>::value;
  out[2] = Which<float, 1>::value; out[3] = Which<float, 2>::value;
  Box<float, 3> b;
  out[4] = b.size();
}
