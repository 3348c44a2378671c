// What reflection says of parameters: arrays have an extent, atomic types are structures, a template's
// arguments show where the parameter's type is a plain name, and what nothing comes of is unused.
#include <metal_stdlib>
using namespace metal;

template <typename T>
struct Pair {
    T first, second;
    T sum() const constant { return first + second; }
};

struct Counters {
    atomic_uint count;
    float rest;
};

template <typename T>
[[kernel]] void pairs(
    device T *out [[buffer(0)]],
    constant Pair<float> &written [[buffer(1)]],
    constant const int strides[3] [[buffer(2)]],
    device Counters *counters [[buffer(3)]],
    device atomic_uint *total [[buffer(4)]],
    constant Pair<int> &only_summed [[buffer(5)]],
    constant int &only_added [[buffer(6)]],
    constant int *numbers [[buffer(7)]],
    uint i [[thread_position_in_grid]])
{
    int not_used = only_summed.sum();
    int first = numbers[0];
    numbers += only_added;
    out[i * strides[1] + first].first = written.first;
    atomic_fetch_add_explicit(&counters->count, 1u, memory_order_relaxed);
    atomic_fetch_add_explicit(total, 1u, memory_order_relaxed);
}

template [[host_name("pairs_float")]] [[kernel]] decltype(pairs<Pair<float>>) pairs<Pair<float>>;
