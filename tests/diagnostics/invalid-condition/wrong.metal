#if 1 / 0
//~^ error[MSL0022]: division by zero
#endif
#if VERSION(3)
//~^ error[MSL0022]: this is no macro that takes arguments
#endif
