#include <metal_stdlib>
using namespace metal;
kernel void count(device atomic_int *n) {
  atomic_fetch_add(n, 1);
  //~^ error[MSL0200]: nothing named `atomic_fetch_add` is declared
}
