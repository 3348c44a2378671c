// Nested and unnamed namespaces, aliases, using, and lookup through arguments.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[4] expect.out=i32:[1,2,3,4]
#include <metal_stdlib>
using namespace metal;

namespace a { namespace b { static int f() { return 1; } } struct S {}; static int g(S) { return 4; } }
namespace { int hidden() { return 2; } }
namespace c = a::b;
using a::S;
kernel void k(device int* out) {
  out[0] = c::f(); out[1] = hidden();
  { using namespace a::b; out[2] = f() + 2; }
  out[3] = g(S());
}
