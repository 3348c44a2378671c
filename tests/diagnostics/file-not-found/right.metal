#include "there.h"
kernel void k(device float *a) { a[0] = THERE; }
