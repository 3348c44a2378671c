// Containers and utilities.
#include <metal_stdlib>
using namespace metal;

template <size_t... Is> uint sum_of(index_sequence<Is...>) { return (0 + ... + uint(Is)); }

struct Shape { metal::array<int, 3> sides; };

kernel void k(device uint *out, constant Shape &shape [[buffer(1)]], device metal::array<int, 2> *memory [[buffer(2)]]) {
  metal::array<int, 3> a = {1, 2, 3};
  a[1] = 7;
  out[0] = a[0] == 1 && a[1] == 7 && a.size() == 3;
  int sum = 0;
  for (auto x : a) {
    sum += x;
  }
  out[1] = sum == 11;
  pair<int, float> p = {3, 2.5f};
  out[2] = p.first == 3 && p.second == 2.5f;
  auto q = make_pair(1u, 2);
  out[3] = q.first == 1 && q.second == 2;
  tuple<int, float, uint> t = make_tuple(1, 2.0f, 3u);
  out[4] = get<0>(t) == 1 && get<1>(t) == 2.0f && get<2>(t) == 3;
  get<2>(t) = 9;
  out[5] = get<2>(t) == 9;
  int x;
  float y;
  tie(x, y) = p;
  out[6] = x == 3 && y == 2.5f;
  out[7] = sum_of(make_index_sequence<5>()) == 10;
  swap(x, sum);
  out[8] = x == 11 && sum == 3;
  out[9] = shape.sides[2] == 0;
  memory[0][1] = 5;
  out[10] = memory[0][1] == 5 && memory->size() == 2;
  a.fill(4);
  out[11] = a[2] == 4 && a.front() == 4 && *a.begin() == 4 && a.end() - a.begin() == 3;
  out[12] = get<0>(p) == 3;
}
