#include <metal_stdlib>
using namespace metal;
kernel void one(device float *a) {
  tuple<int, int> t = make_tuple(1, 2);
  a[0] = get<5>(t);
  //~^ error[MSL0210]: `tuple_element<3, tuple<>>` is declared but not defined here
}
