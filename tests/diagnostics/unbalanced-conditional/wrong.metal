kernel void k() {}
#ifdef FAST
//~^ error[MSL0021]: this conditional is never closed
kernel void l() {}
