#define TWICE(x, x) x
//~^ error[MSL0025]: the parameters of this macro are malformed
#define PASTE(x) ## x
//~^ error[MSL0025]: `##` needs a token on both sides
#define STRING(x) #y
//~^ error[MSL0025]: `#` must stand before a parameter of the macro
