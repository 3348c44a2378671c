// Bases without members, mutable members, closures, structured bindings, loops, matrices: all of it is correct.
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)
template <typename T> struct A { mutable int n; T f(T a, T b, T c) const { n++; return a * b + c; } };
#pragma METAL fp contract(fast)
struct Empty { static constant constexpr int v = 3; };
struct D : Empty { float x; };
static_assert(sizeof(D) == 4);
template <class T> struct Crtp { T twice(T x) const { return x + x; } };
struct E : Crtp<int>, Empty { int y; int g() const { return twice(y) + v; } };
kernel void k(device float *o, uint i [[thread_position_in_grid]]) {
  A<float> a = {0}; E e; e.y = 4; D d; d.x = 1;
  thread Empty &r = d;
  o[i] = a.f(o[0], o[1], o[2]) + e.g() + d.x + r.v;
  auto [p, q] = float2(1, 2);
  auto f = [=, z = p + 1](auto w) mutable { z += w; return z + q; };
  o[i] += f(1) + f(2.0f);
  const auto g = [&o, i](float x) -> float { return o[i] + x; };
  o[i] = g(1);
  thread float *ptr = nullptr;
  if (ptr == nullptr || !ptr) o[i] = 0;
  float m[2][2] = {1, 2, 3, 4};
  for (auto &row : m) for (auto &x : row) x *= 2;
  o[i] = m[1][0];
  int n = 3;
  do { if (n == 2) continue; --n; } while (--n > 0);
  while (auto left = n) { n = left - 1; }
  if (int t = n; t > 0) o[i] = t; else if (auto u = t + 1) o[i] = u;
  o[i] = (n ? o[0] : o[1]) + (n, 2) + -+~n + !n;
  half2x2 hm(1, 2, 3, 4);
  float2x2 fm = float2x2(hm);
  o[i] = (fm * fm * float2(1, 2)).x + (2 * fm)[0][1];
  uchar4 uc = uchar4(1, 2, 3, 4); uc += 1; uc.x <<= 2;
  o[i] = uc.x + as_type<uint>(uc);
  ushort us = 65535; us++; us -= 1u; o[i] = us;
  packed_float3 pf = float3(1); pf.x = 2; pf *= 2; pf = pf + 1; float3 w = pf; o[i] = pf[1] + w.y + dot(float3(pf), w);
}
