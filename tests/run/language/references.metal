// References in each address space reach the object itself.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[5,7,8,3]
#include <metal_stdlib>
using namespace metal;

static void add(thread int& x, int y) { x += y; }
static void add(device int& x, int y) { x += y + 1; }
static void add(threadgroup int& x, int y) { x += y + 2; }
kernel void k(device int* out) {
  threadgroup int shared;
  int local = 3;
  add(local, 2);
  out[0] = local;
  out[1] = 4;
  add(out[1], 2);
  shared = 4;
  add(shared, 2);
  out[2] = shared;
  thread const int& alias = local;
  local = 3;
  out[3] = alias;
}
