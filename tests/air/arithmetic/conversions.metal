// Between numbers: instructions where LLVM has them, calls of `air.convert` elsewhere.
#include <metal_stdlib>
using namespace metal;

kernel void conversions(device float *f, device half4 *h, device int *i, device uchar *u, device bfloat *b,
                        uint g [[thread_position_in_grid]]) {
  f[g] = float(i[g]) + float(u[g]) + float(b[g]);
  i[g] = int(f[g]) + bool(f[g]);
  h[g] = half4(float4(f[g], 1, 2, 3));
  b[g] = bfloat(f[g]);
  u[g] = uchar(i[g] >> (g & 7));
}
