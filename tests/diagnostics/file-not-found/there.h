#define THERE 1
