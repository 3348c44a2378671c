#include "itself.h"
//~^ error[MSL0024]: files include each other more than 200 levels deep
kernel void k() {}
