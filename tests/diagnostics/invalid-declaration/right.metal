kernel void one(device float *a, uint t [[thread_index_in_threadgroup]]) {
  threadgroup float sum;
  if (t == 0) sum = 0;
  float x = 1;
  a[0] = sum + x;
}
