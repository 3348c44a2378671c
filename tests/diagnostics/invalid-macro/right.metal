#define TWICE(x, ...) x __VA_ARGS__
#define PASTE(x, y) x ## y
#define STRING(x) #x
kernel void k() {}
