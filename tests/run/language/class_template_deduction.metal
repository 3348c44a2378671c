// A class template's arguments may be found from its constructor's.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[6] expect.out=i32:[3,4,5,4,8,2]
#include <metal_stdlib>
using namespace metal;

template <typename T, typename U = T> struct Pair {
  T first;
  U second;
  Pair(T a, U b) : first(a), second(b) {}
  explicit Pair(T a) : first(a), second(a) {}
  int size() const { return int(sizeof(T) + sizeof(U)); }
};
template <typename T, int N> struct View {
  thread T* data;
  View(thread T (&array)[N]) : data(array) {}
  int count() const { return N; }
};
kernel void k(device int* out) {
  Pair a(3, 4.0f);
  out[0] = a.first;
  Pair b{4, 1};
  out[1] = b.first;
  out[2] = Pair(short(2), 3).first + 3;
  Pair c = Pair(half(1));
  out[3] = c.size();
  const Pair d = a;
  out[4] = d.size();
  out[5] = Pair{2, 2}.second;
}
