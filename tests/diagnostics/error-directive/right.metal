#if __METAL_VERSION__ < 240
#error "too old"
#endif
kernel void k() {}
