// Pasting, naming, variable arguments, and recursion that stops.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[5] expect.out=i32:[12,3,6,1,5]
#include <metal_stdlib>
using namespace metal;

#define JOIN(a, b) a##b
#define TEXT(x) #x
#define SUM(first, ...) sum(first, ##__VA_ARGS__)
#define SELF SELF_IS_NOT_A_MACRO
#define VALUE 3
#define ADD(x) (x + VALUE)
static int sum(int a) { return a; }
static int sum(int a, int b, int c) { return a + b + c; }
#if defined(VALUE) && VALUE * 2 == 6 && !defined(NOT_THERE)
constant int chosen = 1;
#else
constant int chosen = 0;
#endif
kernel void k(device int* out) {
  int JOIN(na, me) = 12;
  out[0] = name; out[1] = SUM(3); out[2] = SUM(1, 2, 3); out[3] = chosen; out[4] = ADD(2);
}
