// A kernel template under the names that its instantiations give it.
// run: kernel=scale_int grid=2 threadgroup=2 out=i32:[1,2] expect.out=i32:[3,6]
// run: kernel=scale_float grid=2 threadgroup=2 out=f32:[1,2] expect.out=f32:[5,10]
#include <metal_stdlib>
using namespace metal;

template <typename T, int N>
[[kernel]] void scale(device T* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  out[i] *= N;
}

template [[host_name("scale_int")]] [[kernel]] void scale<int, 3>(device int*, uint);
template [[host_name("scale_float")]] [[kernel]] decltype(scale<float, 5>) scale<float, 5>;
