// for, while and do with break and continue, nested.
// run: kernel=k grid=1 threadgroup=1 out=zeros:i32[5] expect.out=i32:[25,10,1,12,45]
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out) {
  int odd = 0;
  for (int i = 0; i < 100; ++i) { if (i % 2 == 0) continue; if (i > 9) break; odd += i; }
  out[0] = odd;
  int n = 0;
  while (n < 10) ++n;
  out[1] = n;
  int once = 0;
  do { ++once; } while (false);
  out[2] = once;
  int pairs = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0;; ++j) { if (j == 3) break; ++pairs; }
  out[3] = pairs;
  int sum = 0;
  for (int i = 0, j = 9; i < 10; i++, j--) sum += j;
  out[4] = sum;
}
