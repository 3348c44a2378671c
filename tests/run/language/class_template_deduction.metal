// A class template's arguments may be found from its constructor's, or by a deduction guide.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[8] expect.out=i32:[3,4,5,4,8,2,9,4]
#include <metal_stdlib>
using namespace metal;

template <typename T, typename U = T> struct Pair {
  T first;
  U second;
  Pair(T a, U b) : first(a), second(b) {}
  explicit Pair(T a) : first(a), second(a) {}
  int size() const { return int(sizeof(T) + sizeof(U)); }
};
template <typename T> struct Slice {
  thread const T* data;
  int count;
  T last() const { return data[count - 1]; }
};
template <typename T> Slice(thread const T*, int) -> Slice<T>;
template <typename T> struct Wide { T value; };
Wide(half) -> Wide<float>;

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
  const int numbers[3] = {7, 8, 9};
  Slice slice{numbers, 3};
  out[6] = slice.last();
  Wide wide{half(1)};
  out[7] = int(sizeof(wide.value));
}
