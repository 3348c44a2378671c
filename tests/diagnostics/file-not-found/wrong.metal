#include <metal_stdlib>
#include "missing.h"
//~^ error[MSL0023]: cannot find the file `missing.h`
kernel void k() {}
