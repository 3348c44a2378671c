// Functions that run when compiling: in array sizes, arguments and assertions.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[120,55,32,3]
#include <metal_stdlib>
using namespace metal;

constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
constexpr int triangle(int n) { int s = 0; for (int i = 1; i <= n; ++i) s += i; return s; }
static_assert(factorial(5) == 120, "factorial");
template <int N> struct Size { static constant constexpr int value = N; };
constant constexpr int table[3] = {1, 2, 3};
kernel void k(device int* out) {
  int a[factorial(3) + 2];
  out[0] = Size<factorial(5)>::value; out[1] = triangle(10); out[2] = int(sizeof(a)); out[3] = Size<table[2]>::value;
}
