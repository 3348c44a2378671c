kernel void one(device float3 *a, device int *b) {
  a[0] = float3(1, 2, 3);
  int x[3] = {1, 2, 3};
  b[0] = x[0];
}
