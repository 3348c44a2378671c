// A structure that holds device pointers makes its buffer an argument buffer.
#include <metal_stdlib>
using namespace metal;

struct Pointers {
  device float *x;
  constant int *n;
  device const uchar *list[3];
};

kernel void gather(constant Pointers &pointers [[buffer(0)]], uint g [[thread_position_in_grid]]) {
  pointers.x[g] = pointers.n[0] + pointers.list[1][g];
}
