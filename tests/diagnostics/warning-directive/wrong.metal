#warning slow path
//~^ warning[MSL0030]: slow path
kernel void k() {}
