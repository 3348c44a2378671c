// Deduction from types, values and arrays; explicit arguments; defaults.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[5,3,4,16,7,2]
#include <metal_stdlib>
using namespace metal;

template <typename T> static T twice(T x) { return x + x; }
template <int N> static int value() { return N; }
template <typename T, int N> static int length(thread T (&)[N]) { return N; }
template <typename T = int, int N = 4> static int bytes() { return sizeof(T) * N; }
template <typename T> static int kind(T) { return 1; }
template <typename T> static int kind(thread T*) { return 2; }
kernel void k(device int* out) {
  out[0] = int(twice(2.5f)); out[1] = value<3>();
  int a[4] = {0, 0, 0, 0};
  out[2] = length(a);
  out[3] = bytes();
  out[4] = value<1 + 2 * 3>();
  out[5] = kind(&a[0]);
}
