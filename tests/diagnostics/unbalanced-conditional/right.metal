#ifdef FAST
#if 1
#else
#endif
#endif
kernel void k() {}
