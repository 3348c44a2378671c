// Members of a base, and a base constructed by name.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[1,5,6,11]
#include <metal_stdlib>
using namespace metal;

struct Base { int x; int twice() const { return 2 * x; } Base(int v) : x(v) {} };
struct Derived : Base { int y; Derived(int a, int b) : Base(a), y(b) {} int sum() const { return x + y; } };
static int add(Base b) { return b.x + 10; }
kernel void k(device int* out) {
  Derived d(1, 5);
  out[0] = d.x; out[1] = d.y; out[2] = d.sum(); out[3] = add(d);
}
