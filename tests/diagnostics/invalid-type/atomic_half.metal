#include <metal_stdlib>
using namespace metal;
kernel void one(device atomic<half> *a) {
  //~^ error[MSL0208]: `atomic<half>` does not exist
}
