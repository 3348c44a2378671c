#ifndef __METAL__
#warning slow path
#endif
kernel void k() {}
