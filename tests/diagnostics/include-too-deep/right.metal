#include "once.h"
#include "once.h"
kernel void k() {}
