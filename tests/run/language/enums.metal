// Plain and scoped enumerations, with values that go on from the last.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[5] expect.out=i32:[0,5,6,2,300]
#include <metal_stdlib>
using namespace metal;

enum Plain { A, B = 5, C };
enum class Scoped : ushort { One = 1, Two, Big = 300 };
kernel void k(device int* out) {
  out[0] = A; out[1] = B; out[2] = C;
  Scoped s = Scoped::Two;
  out[3] = int(s);
  out[4] = static_cast<ushort>(Scoped::Big);
}
