// numeric_limits and type traits when compiling.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[5] expect.out=i32:[127,-2147483648,1,1,23]
#include <metal_stdlib>
using namespace metal;

static_assert(numeric_limits<int>::max() == 2147483647, "max");
static_assert(is_same_v<make_unsigned_t<short>, ushort>, "unsigned");
kernel void k(device int* out) {
  out[0] = numeric_limits<char>::max(); out[1] = numeric_limits<int>::min();
  out[2] = isinf(numeric_limits<float>::infinity()); out[3] = is_same<conditional_t<true, int, float>, int>::value;
  out[4] = numeric_limits<float>::digits - 1;
}
