// Over arrays, by value and by reference.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[2] expect.out=i32:[6,12]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  int a[3] = {1, 2, 3};
  int s = 0;
  for (int x : a) s += x;
  out[0] = s;
  for (thread int& x : a) x *= 2;
  s = 0;
  for (auto x : a) s += x;
  out[1] = s;
}
