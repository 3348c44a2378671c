#if __METAL_VERSION__ >= 300
#error "not for Metal 3"
//~^ error[MSL0029]: "not for Metal 3"
#endif
kernel void k() {}
