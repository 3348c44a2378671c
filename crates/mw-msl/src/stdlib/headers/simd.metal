// Apple's vector names for code that is shared with the host.
#ifndef __MW_SIMD_H
#define __MW_SIMD_H
#define __MW_SIMD_VECTORS(T)                                                   \
  typedef T##2 vector_##T##2;                                                  \
  typedef T##3 vector_##T##3;                                                  \
  typedef T##4 vector_##T##4;                                                  \
  typedef T##2 simd_##T##2;                                                    \
  typedef T##3 simd_##T##3;                                                    \
  typedef T##4 simd_##T##4;                                                    \
  namespace simd {                                                             \
  using ::T##2;                                                                \
  using ::T##3;                                                                \
  using ::T##4;                                                                \
  }
__MW_SIMD_VECTORS(char)
__MW_SIMD_VECTORS(uchar)
__MW_SIMD_VECTORS(short)
__MW_SIMD_VECTORS(ushort)
__MW_SIMD_VECTORS(int)
__MW_SIMD_VECTORS(uint)
__MW_SIMD_VECTORS(long)
__MW_SIMD_VECTORS(ulong)
__MW_SIMD_VECTORS(half)
__MW_SIMD_VECTORS(float)
#undef __MW_SIMD_VECTORS
typedef float2x2 simd_float2x2;
typedef float3x3 simd_float3x3;
typedef float4x4 simd_float4x4;
typedef float2x2 matrix_float2x2;
typedef float3x3 matrix_float3x3;
typedef float4x4 matrix_float4x4;
namespace simd {
using ::float2x2;
using ::float3x3;
using ::float4x4;
}
#endif
