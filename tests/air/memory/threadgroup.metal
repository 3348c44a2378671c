// Threadgroup variables, barriers, and a record that is passed by value and returned.
#include <metal_stdlib>
using namespace metal;

struct Pair {
  float low, high;
};

Pair ordered(Pair pair) {
  if (pair.low > pair.high) {
    float swap = pair.low;
    pair.low = pair.high;
    pair.high = swap;
  }
  return pair;
}

kernel void exchange(device float *x, uint t [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[t] = x[t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  Pair pair = ordered({shared[t], shared[t ^ 1]});
  x[t] = (t & 1) ? pair.high : pair.low;
}
