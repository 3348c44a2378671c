// A pointer to function as a template argument.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[2] expect.out=i32:[9,12]
#include <metal_stdlib>
using namespace metal;

static int add(int a, int b) { return a + b; }
static int mul(int a, int b) { return a * b; }
template <int (*op)(int, int)> static int fold(int a, int b, int c) { return op(op(a, b), c); }
kernel void k(device int* out) { out[0] = fold<add>(2, 3, 4); out[1] = fold<mul>(2, 3, 2); }
