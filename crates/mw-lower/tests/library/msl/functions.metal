// Calls as sources write them: which overload they reach, and what it gives.
#include <metal_stdlib>
using namespace metal;

template <typename T, typename U> constexpr bool same(T, U) { return is_same_v<T, U>; }

constant float limit = INFINITY;

kernel void k(device uint *out, uint lane [[thread_index_in_simdgroup]]) {
  float x = -1.5f;
  half h = 2.0h;
  bfloat b = 3.0bf;
  uint u = 7;
  int i = -3;
  ushort s = 5;
  float4 v = float4(-1.0f, 0.5f, 2.0f, 3.0f);
  out[0] = max(x, 0.0f) == 0.0f && same(max(x, 0.0f), x);
  out[1] = pow(2.0f, 3) == 8.0f;
  out[2] = all(clamp(v, 0.0f, 1.0f) == float4(0.0f, 0.5f, 1.0f, 1.0f));
  out[3] = abs(b) == 3.0f && same(abs(b), x);
  out[4] = select(1.0f, 2.0f, u > 3) == 2.0f;
  out[5] = min(u, uint(s)) == 5 && same(min(s, s), s);
  out[6] = same(max(h, h), h) && same(exp(h), h) && same(sqrt(4.0f), x);
  out[7] = same(metal::precise::exp(h), x) && same(metal::fast::exp(x), x);
  out[8] = simd_shuffle(x, 3) == x && simd_shuffle(lane, ushort(2)) == 2 && simd_shuffle_xor(lane, 1) == (lane ^ 1);
  out[9] = simd_sum(1) == 32 && simd_max(lane) == 31 && same(simd_sum(h), h);
  out[10] = ulong(simd_ballot(true)) == 0xffffffff && simd_ballot(lane == 0).any() && !simd_ballot(lane == 0).all();
  out[11] = as_type<uint>(1.0f) == 0x3f800000 && as_type<half2>(0x3c003c00u).y == 1.0h;
  out[12] = metal::abs(i) == 3 && abs(-7) == 7 && same(abs(i), i);
  out[13] = isinf(limit) && isnan(NAN) && !isnan(x) && any(isinf(float2(INFINITY, 0)));
  out[14] = dot(v, v) == 14.25f && length(float2(3, 4)) == 5.0f && distance(float2(0), float2(3, 4)) == 5.0f;
  out[15] = mix(1.0f, 3.0f, 0.5f) == 2.0f && saturate(2.0f) == 1.0f && step(1.0f, 2.0f) == 1.0f && sign(-2.0f) == -1.0f;
  int e;
  float f = frexp(8.0f, e);
  out[16] = f == 0.5f && e == 4 && ldexp(f, e) == 8.0f;
  float c;
  float sine = sincos(0.0f, c);
  out[17] = sine == 0.0f && c == 1.0f;
  out[18] = popcount(0xffu) == 8 && clz(1u) == 31 && ctz(8) == 3 && reverse_bits(1u) == 0x80000000u && __builtin_ctz(8) == 3;
  out[19] = mulhi(0x80000000u, 4u) == 2 && rotate(1u, 33u) == 2 && extract_bits(0xf0u, 4, 4) == 15;
  out[20] = all(max(v, 0.0f) >= 0.0f) && all(min(uint2(1, 2), uint2(2, 1)) == 1);
  out[21] = fma(2.0f, 3.0f, 1.0f) == 7.0f && fmod(5.5f, 2.0f) == 1.5f && same(fmin(h, 1.0h), h);
  out[22] = determinant(float2x2(float2(1, 2), float2(3, 4))) == -2.0f;
  out[23] = transpose(float2x3(float3(1, 2, 3), float3(4, 5, 6)))[2].y == 6.0f;
  out[24] = __metal_exp(0.0f, __METAL_MAYBE_FAST_MATH__) == 1.0f && __metal_fma(2.0f, 2.0f, 1.0f) == 5.0f;
  out[25] = __metal_get_simdgroup_size(ushort()) == 32 && simd_shuffle_and_fill_up(lane, 99u, 1) == (lane == 0 ? 99 : lane - 1);
  out[26] = select(float4(1), float4(2), v > 1.0f).z == 2.0f && all(select(int2(1), int2(2), bool2(true, false)) == int2(2, 1));
  out[27] = isordered(1.0f, 2.0f) && isunordered(b, NAN) && signbit(-0.0f);
  out[28] = quad_sum(1) == 4 && quad_broadcast(lane, 2) == (lane & ~3u) + 2;
  out[29] = pack_float_to_unorm4x8(float4(1, 0, 0, 1)) == 0xff0000ff && unpack_unorm4x8_to_float(255).x == 1.0f;
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  simdgroup_barrier(mem_flags::mem_none);
  out[30] = simd_is_first() == (lane == 0) && simd_all(true) && simd_any(lane == 5);
  out[31] = uint(max(1, 2)) == 2 && min3(3, 1, 2) == 1 && median3(3.0f, 1.0f, 2.0f) == 2.0f;
}
