#include <metal_stdlib>
using namespace metal;
float first(device const float *p) { return *p; }
void increment(thread float &x) { x += 1; }
struct Sum {
  float total;
  float get() { return total; }
};
kernel void one(device float *a, threadgroup float *t, device Sum *sums) {
  a[0] = first(t);
  //~^ error[MSL0231]: `first` takes a `device const float *`, this points to `threadgroup` memory
  increment(a[1]);
  //~^ error[MSL0231]: `increment` takes a `thread float &`, this lives in `device` memory
  a[2] = sums[0].get();
  //~^ error[MSL0231]: `get` is a member function for objects in `thread` memory
}
