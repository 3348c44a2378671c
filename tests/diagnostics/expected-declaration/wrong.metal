return 1;
//~^ error[MSL0104]: expected a declaration, found `return`
kernel void k() {}
