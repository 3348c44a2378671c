#include <metal_stdlb>
  //~^ error[MSL0023]: cannot find the file `metal_stdlb`
#include <cmath>
  //~^ error[MSL0023]: cannot find the file `cmath`
#include <cuda_fp16.h>
  //~^ error[MSL0023]: cannot find the file `cuda_fp16.h`
