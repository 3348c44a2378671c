#if defined(VERSION) && 1 / VERSION
#endif
#if __METAL_VERSION__ >= 300 && __has_include(<metal_stdlib>)
kernel void k() {}
#endif
