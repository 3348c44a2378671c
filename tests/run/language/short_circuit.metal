// The right side of && and || runs only if it matters.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[0,1,1,2]
#include <metal_stdlib>
using namespace metal;

static bool count(thread int& n, bool value) { n += 1; return value; }
kernel void k(device int* out) {
  int n = 0;
  bool a = false && count(n, true);
  out[0] = n;
  bool b = true && count(n, true);
  out[1] = n;
  bool c = true || count(n, false);
  out[2] = n;
  bool d = false || count(n, false);
  out[3] = n + (a || !b || !c || d ? 100 : 0);
}
