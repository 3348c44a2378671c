// C++17 as Metal has it, checked by the constant evaluator: every assertion must hold.
#include <metal_stdlib>
using namespace metal;

// Templates: deduction, partial ordering, SFINAE, packs.
template <typename T> struct is_vec { static constexpr constant bool value = false; };
template <typename T, int N> struct is_vec<vec<T, N>> { static constexpr constant bool value = true; };
static_assert(is_vec<float4>::value && !is_vec<float>::value, "");
template <typename T> constexpr int rank_of(T) { return 0; }
template <typename T, int N> constexpr int rank_of(vec<T, N>) { return N; }
template <typename T> constexpr int rank_of(thread T *) { return 100; }
template <typename T> constexpr int rank_of(device T *) { return 200; }
static_assert(rank_of(1.0f) == 0);
template <typename T, typename = enable_if_t<is_floating_point_v<T>>> constexpr int kind(T) { return 1; }
template <typename T, enable_if_t<is_integral_v<T>, bool> = true> constexpr int kind(T) { return 2; }
static_assert(kind(1.0f) == 1 && kind(1) == 2 && kind(1.0h) == 1 && kind('a') == 2);
template <typename... Ts> constexpr int count(Ts...) { return sizeof...(Ts); }
static_assert(count() == 0 && count(1, 2.0f, 'c') == 3);
template <typename... Ts> constexpr auto sum(Ts... xs) { return (xs + ... + 0); }
static_assert(sum(1, 2, 3) == 6 && sum() == 0);
template <typename T, typename... Ts> constexpr T first(T a, Ts...) { return a; }
template <typename T> constexpr T last(T a) { return a; }
template <typename T, typename... Ts> constexpr auto last(T, Ts... rest) { return last(rest...); }
static_assert(last(1, 2, 3) == 3 && first(7, 1.0f) == 7);
template <template <typename, int> class V, typename T> struct apply { using type = V<T, 3>; };
static_assert(is_same_v<apply<vec, float>::type, float3>);
template <auto V> struct constant_of { static constexpr constant auto value = V; };
static_assert(constant_of<5>::value == 5 && constant_of<true>::value);
template <int N> struct fact { static constexpr constant int value = N * fact<N - 1>::value; };
template <> struct fact<0> { static constexpr constant int value = 1; };
static_assert(fact<5>::value == 120);
constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static_assert(fib(10) == 55);
constexpr int loop(int n) { int s = 0; for (int i = 0; i < n; ++i) { if (i == 3) continue; if (i > 7) break; s += i; } return s; }
static_assert(loop(100) == 0 + 1 + 2 + 4 + 5 + 6 + 7);
struct Point { int x, y; constexpr Point(int a, int b) : x(a), y(b) {} constexpr int dot(Point o) const { return x * o.x + y * o.y; } constexpr Point operator+(Point o) const { return Point(x + o.x, y + o.y); } };
static_assert((Point(1, 2) + Point(3, 4)).dot(Point(1, 1)) == 10);
struct Agg { int a; float b = 2.0f; int c[3]; };
constexpr constant Agg agg = {1, 3.0f, {1, 2, 3}};
static_assert(agg.a == 1 && agg.b == 3.0f && agg.c[2] == 3);
constexpr constant Agg agg2 = {.a = 5, .c = {7}};
static_assert(agg2.a == 5 && agg2.b == 2.0f && agg2.c[0] == 7 && agg2.c[1] == 0);
enum Color { red, green = 5, blue };
enum class Shape : uchar { square = 1, circle };
static_assert(blue == 6 && int(Shape::circle) == 2 && sizeof(Shape) == 1);
template <typename T> constexpr constant T pi = T(3.14159265);
template <> constexpr constant int pi<int> = 3;
static_assert(pi<int> == 3 && pi<float> > 3.1f);
template <typename T> constexpr constant bool is_ptr = false;
template <typename T> constexpr constant bool is_ptr<device T *> = true;
static_assert(is_ptr<device float *> && !is_ptr<float>);
// Inheritance and conversions.
struct Base { int v; constexpr Base(int x) : v(x) {} constexpr int get() const { return v; } };
struct Derived : Base { int w; constexpr Derived(int x, int y) : Base(x), w(y) {} };
constexpr int take(Base b) { return b.get(); }
static_assert(take(Derived(4, 5)) == 4 && take(3) == 3);
template <typename T, T v> struct ic { static constexpr constant T value = v; constexpr operator T() const { return v; } };
static_assert(ic<int, 4>{} + 1 == 5);
constexpr int arr(int i) { constexpr int t[] = {3, 1, 4, 1, 5}; return t[i]; }
static_assert(arr(4) == 5);
using Fn = int (*)(int);
constexpr int twice(int x) { return 2 * x; }
template <int (*F)(int)> constexpr int call(int x) { return F(x); }
static_assert(call<twice>(4) == 8);
template <typename T, T (*F)(T)> struct Op { static constexpr T run(T x) { return F(x); } };
static_assert(Op<int, twice>::run(3) == 6);
constexpr int lam(int x) { auto f = [=](int y) { return x * y; }; auto g = [&](auto z) { return f(z) + x; }; return g(2); }
static_assert(lam(5) == 15);
static_assert([](int a) { return a + 1; }(2) == 3);
template <typename T> struct outer { template <typename U> struct inner { T t; U u; }; template <int N> static constexpr int f() { return N + sizeof(T); } };
template <typename T> constexpr int dep() { return outer<T>::template f<3>() + sizeof(typename outer<T>::template inner<int>); }
static_assert(dep<float>() == 7 + 8);
static_assert(sizeof(float3) == 16 && sizeof(packed_float3) == 12 && alignof(float3) == 16 && sizeof(half3) == 8);
static_assert(is_same_v<decltype(1 + 1u), uint> && is_same_v<decltype(1.0h + 1), half> && is_same_v<decltype(1.0h + 1.0f), float> && is_same_v<decltype(short(1) + short(1)), int>);
static_assert(is_same_v<decltype(float4(1) * 2), float4> && is_same_v<decltype(float2(1) < float2(2)), bool2>);
union U { uint u; float f; };
constexpr uint bits(float x) { return as_type<uint>(x); }
static_assert(bits(1.0f) == 0x3f800000u);
static_assert(numeric_limits<float>::max() > 1e38f && numeric_limits<int>::lowest() == INT_MIN && numeric_limits<uchar>::max() == 255);
constexpr int sw(int x) { switch (x) { case 1: return 10; case 2: case 3: x += 1; break; default: return -1; } return x; }
static_assert(sw(1) == 10 && sw(2) == 3 && sw(3) == 4 && sw(9) == -1);
template <typename T> constexpr int ifc() { if constexpr (is_same_v<T, float>) { return 1; } else if constexpr (is_same_v<T, int>) { return 2; } else { return T::nothing; } }
static_assert(ifc<float>() == 1 && ifc<int>() == 2);
constexpr int vecs() { int4 v = int4(1, 2, 3, 4); v.xy = v.yx; v.z += 10; int3 w = v.wzy; return w.x * 100 + w.y + w.z; }
static_assert(vecs() == 400 + 13 + 1);
constexpr int refs() { int a = 1; thread int &r = a; r += 2; thread int *p = &a; *p *= 2; ++*p; p[0]--; return a; }
static_assert(refs() == 6);
constexpr int nested() { int m[2][3] = {{1, 2, 3}, {4, 5, 6}}; int s = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) s += m[i][j] * (i + 1); return s; }
static_assert(nested() == 6 + 30);
constexpr int whil() { int i = 0, s = 0; while (i < 4) s += i++; do { s--; } while (s > 3); return s; }
static_assert(whil() == 3);
constexpr int range() { int a[3] = {1, 2, 3}; int s = 0; for (int x : a) s += x; for (auto &x : a) x *= 2; for (auto x : a) s += x; return s; }
static_assert(range() == 18);
constexpr int bind() { Point p(3, 4); auto [a, b] = p; int c[2] = {5, 6}; auto [d, e] = c; return a * 1000 + b * 100 + d * 10 + e; }
static_assert(bind() == 3456);
constexpr int tup() { auto t = make_tuple(1, 2.5f, 'c'); return get<0>(t) + int(get<1>(t)); }
static_assert(tup() == 3);
constexpr int arrt() { array<int, 3> a = {1, 2, 3}; int s = 0; for (auto x : a) s += x; a[1] = 7; return s + a[1] + int(a.size()); }
static_assert(arrt() == 16);
template <typename T, size_t... I> constexpr int seq(index_sequence<I...>) { return ((int(I) * 2) + ...); }
static_assert(seq<int>(make_index_sequence<4>{}) == 12);
static_assert(min(3, 4) == 3 && max(1.0f, 2.0f) == 2.0f && clamp(7, 0, 5) == 5);
template <typename T> struct counter { T n = 0; thread counter &operator++() { ++n; return *this; } T operator()() const { return n; } };
constexpr int ctr() { counter<int> c; ++c; ++c; return c(); }
static_assert(ctr() == 2);
struct WithOps { int v; friend constexpr bool operator==(WithOps a, WithOps b) { return a.v == b.v; } };
static_assert(WithOps{1} == WithOps{1});
namespace ns { struct Q { int v; }; constexpr int find(Q q) { return q.v; } template <typename T> constexpr int tf(T t) { return find(t); } }
static_assert(find(ns::Q{3}) == 3 && ns::tf(ns::Q{4}) == 4);
constexpr int comma() { int a = 1; int b = (a += 2, a * 2); return b; }
static_assert(comma() == 6);
constexpr float mat() { float2x2 m = float2x2(float2(1, 2), float2(3, 4)); return m[0].x + m[1][1]; }
static_assert(mat() == 5.0f);
static_assert(true ? 1 : 0);
template <class T> constexpr auto trail(T x) -> decltype(x + 1) { return x + 1; }
static_assert(trail(2) == 3);
kernel void k(device float *a) { a[0] = 1; }
