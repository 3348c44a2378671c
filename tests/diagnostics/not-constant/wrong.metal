constant int size [[function_constant(0)]];
kernel void one(device float *a, constant uint &n) {
  threadgroup float s[n];
  //~^ error[MSL0217]: this value is not known when compiling
  float x[size];
  //~^ error[MSL0217]: this value is not known when compiling
  constexpr uint m = n;
  //~^ error[MSL0217]: this value is not known when compiling
  a[0] = 1;
}
