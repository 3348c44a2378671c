// Address spaces, overloads, templates, vectors and attributes in kernels: all of it is correct.
#include <metal_stdlib>
using namespace metal;

// Kernels with what reference, address space and overload rules allow.
struct Params { uint n; float scale; packed_float3 p; array<int, 4> dims; };
constant uint width [[function_constant(0)]];
constant bool has_bias [[function_constant(1)]];
constant uint wide = is_function_constant_defined(width) ? width * 2 : 32;
constant float table[4] = {1, 2, 3, 4};
static constant constexpr const int kN = 4;

struct S {
  float x;
  float get() const device { return x; }
  float get() const thread { return x + 1; }
  float get() const threadgroup { return x + 2; }
  float get() const constant { return x + 3; }
  void set(float v) thread { x = v; }
  void set(float v) device { x = v; }
};
template <typename T> T load(const device T *p, uint i) { return p[i]; }
template <typename T> T load(threadgroup const T *p, uint i) { return p[i]; }
template <typename T> T load(constant T *p, uint i) { return p[i]; }
template <typename T> void swap2(thread T &a, thread T &b) { T t = a; a = b; b = t; }
template <typename T, int N> struct Tile {
  T v[N];
  thread T &operator[](int i) thread { return v[i]; }
  const thread T &operator[](int i) const thread { return v[i]; }
  template <typename U> Tile<U, N> cast() const { Tile<U, N> r; for (int i = 0; i < N; ++i) r.v[i] = U(v[i]); return r; }
  T sum() const { T s = 0; for (int i = 0; i < N; i++) s += v[i]; return s; }
};
struct Functor { template <typename T> T operator()(T a, T b) { return a + b; } };
template <typename Op, typename T> T reduce(const device T *p, uint n, Op op) { T s = p[0]; for (uint i = 1; i < n; ++i) s = op(s, p[i]); return s; }
void by_block(device const uchar *p, short il, thread float4x4 &r) { for (int i = 0; i < 16; i++) r[i / 4][i % 4] = p[i + il]; }
template <typename T4x4, void (*D)(device const uchar *, short, thread T4x4 &)> void deq(device const uchar *p, thread T4x4 &r) { D(p, 0, r); }

[[kernel, max_total_threads_per_threadgroup(256)]] void all(
    device float *out [[buffer(0)]], constant Params &params [[buffer(1)]], const device S *s [[buffer(2)]], device S *sw,
    device atomic_uint *counter, threadgroup float *tg [[threadgroup(0)]], device const uchar *q,
    device float *bias [[buffer(9), function_constant(has_bias)]], device half4 *h, device packed_half4 *ph, device bfloat *bf,
    uint3 g [[thread_position_in_grid]], ushort lane [[thread_index_in_simdgroup]], uint2 tgs [[threads_per_threadgroup]]) {
  uint i = g.x;
  if (i >= params.n) return;
  threadgroup S shared[2];
  threadgroup float tile[2][4];
  S local = s[i];
  local.set(s[i].get() + local.get() + shared[0].get());
  sw[i].set(local.x);
  sw[i] = local;
  shared[1] = local;
  tile[1][lane & 3] = load(tg, i) + load(s, i).x + load(table, i & 3);
  Tile<float, kN> t = {{1, 2, 3, 4}};
  t[2] *= params.scale;
  swap2(t[0], t[1]);
  auto ht = t.cast<half>();
  float acc = t.sum() + ht.sum() + reduce(out, 4u, Functor());
  float4x4 m(1.0f);
  deq<float4x4, by_block>(q, m);
  float4 row = m * float4(params.p, 1.0f);
  acc += dot(row.xyz, float3(params.p)) + row[lane & 3];
  if (has_bias) acc += bias[i];
  h[i] = half4(row) * 2.0h + 1;
  ph[i] = h[i];
  h[i].xy += ph[i].yx;
  bf[i] = bfloat(acc);
  float fb = bf[i] * 2.0f;
  bf[i] = bf[i] + bf[i];
  half hh = 1;
  hh += 0.5f;
  hh = hh * 2;
  uchar c = q[i];
  c = c << 1 | (c >> 7);
  c += 3;
  short sh = c - 5;
  sh <<= 2;
  ulong big = ulong(i) << 33;
  acc += float(big >> 33) + hh + sh + fb;
  acc = i & 1 ? acc : -acc;
  acc = select(acc, 0.0f, isnan(acc));
  float4 v4 = i > 3 ? row : float4(0);
  bool4 lt = v4 < row;
  v4 = select(v4, row, lt);
  v4 = lt.x ? v4 : row;
  if (any(lt) && all(!lt)) acc = 0;
  uint old = atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed);
  acc += simd_sum(float(old)) + simd_shuffle_xor(acc, ushort(1)) + wide;
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  simdgroup_float8x8 a = make_filled_simdgroup_matrix<float, 8, 8>(1.0f), b(2.0f), d;
  simdgroup_multiply_accumulate(d, a, b, a);
  d.thread_elements()[0] += 1.0f;
  simdgroup_store(d, out, 8);
  device float *p = out + i;
  *p++ = acc;
  *p-- += 1;
  p[1] = max(acc, 0.0f) + min(1, 2) + clamp(acc, 0.f, 1.f) + pow(acc, 2) + fma(acc, 2.f, 1.f) + metal::precise::exp(acc) + fast::log(acc);
  p += params.dims[2];
  ptrdiff_t dist = p - out;
  out[dist] = as_type<float>(as_type<uint>(acc) ^ 1u) + tgs.x + __builtin_popcount(7);
  constexpr float ks[] = {0.5f, 0.25f};
  for (int k = 0; k < 2; ++k) out[k] *= ks[k];
  auto lam = [&](float x) { acc += x; return acc; };
  out[i] = lam(1) + lam(2);
  union { float f; uint u; } pun;
  pun.f = acc;
  out[i] = float(pun.u);
  switch (i & 3) { case 0: out[i] = 1; break; case 1: { int z = 3; out[i] = z; } default: out[i] += 2; }
}
template <typename T, int N> [[kernel]] void tk(device T *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i] = T(N); }
template [[host_name("tk_f32_4")]] [[kernel]] void tk<float, 4>(device float *, uint);
template [[host_name("tk_f16_2")]] [[kernel]] decltype(tk<half, 2>) tk<half, 2>;
template [[host_name("tk_i32")]] kernel void tk<int, 1>(device int *a [[buffer(0)]], uint i [[thread_position_in_grid]]);
typedef decltype(tk<bfloat, 3>) tk_t;
template [[host_name("tk_bf16")]] kernel tk_t tk<bfloat, 3>;
