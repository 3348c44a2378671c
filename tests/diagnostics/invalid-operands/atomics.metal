#include <metal_stdlib>
using namespace metal;
kernel void count(device atomic_int *n, device int *a) {
  n[0] = 1;
  //~^ error[MSL0224]: an atomic object cannot be assigned like a variable
  n[0] += 1;
  //~^ error[MSL0224]: an atomic object cannot be changed like a variable
  n[0]++;
  //~^ error[MSL0224]: an atomic object cannot be changed like a variable
  a[0] = n[0];
  //~^ error[MSL0224]: an atomic object cannot be read like a variable
  a[1] = n[0] + 1;
  //~^ error[MSL0224]: an atomic object cannot be read like a variable
}
