// Closures by value and by reference, generic ones, and one given to a template.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[7,4,6,9]
#include <metal_stdlib>
using namespace metal;

template <typename F> static int call(F f, int x) { return f(x); }
kernel void k(device int* out) {
  int a = 3;
  auto by_value = [=](int x) { return a + x; };
  auto by_reference = [&](int x) { a += x; };
  by_reference(1);
  out[0] = by_value(4); out[1] = a;
  auto generic = [](auto x) { return x * 2; };
  out[2] = generic(3);
  out[3] = call([a](int x) { return a + x; }, 5);
}
