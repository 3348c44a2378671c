// Packs: recursion, folds, sizes, and expansion into calls.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[5] expect.out=i32:[10,3,24,6,1]
#include <metal_stdlib>
using namespace metal;

template <typename T> static T sum(T x) { return x; }
template <typename T, typename... R> static T sum(T x, R... rest) { return x + sum(rest...); }
template <typename... T> static int count(T...) { return sizeof...(T); }
template <int... N> static int product() { return (1 * ... * N); }
template <typename... T> static int add(T... v) { return (v + ... + 0); }
template <typename... T> static bool all_same() { return (is_same_v<T, int> && ...); }
kernel void k(device int* out) {
  out[0] = sum(1, 2, 3, 4); out[1] = count(1, 2.0f, 'c'); out[2] = product<2, 3, 4>();
  out[3] = add(1, 2, 3); out[4] = all_same<int, int>();
}
