constant float scale = 2;
constant float offset [[function_constant(0)]];
kernel void one(device float *a) {
  threadgroup float shared[32];
  shared[0] = a[1];
  a[0] = scale * shared[0] + offset;
}
