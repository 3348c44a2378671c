// Counting and moving bits.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[7] expect.out=i32:[28,3,4,1,-2147483648,11,229]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  out[0] = clz(8); out[1] = ctz(8); out[2] = popcount(0xf0); out[3] = popcount(uchar(0x80));
  out[4] = int(reverse_bits(1u)); out[5] = int(extract_bits(0xb5u, 4u, 4u));
  out[6] = int(insert_bits(0xa5u, 0xeu, 4u, 4u));
}
