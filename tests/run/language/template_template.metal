// Templates as arguments of templates.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[2] expect.out=i32:[8,3]
#include <metal_stdlib>
using namespace metal;

template <typename T> struct Twice { static int of(T x) { return 2 * x; } };
template <typename T, int N> struct Many { static constant constexpr int count = N; };
template <template <typename> class F, typename T> static int apply(T x) { return F<T>::of(x); }
template <template <typename, int> class M> struct Count { static constant constexpr int value = M<int, 3>::count; };
kernel void k(device int* out) {
  out[0] = apply<Twice>(4); out[1] = Count<Many>::value;
}
