kernel void one(device float3 *a, device int *b) {
  a[0] = float3(1, 2);
  //~^ error[MSL0228]: 2 components for a `float3`, which has 3
  int x[2] = {1, 2, 3};
  //~^ error[MSL0228]: more values than `int[2]` has members
  b[0] = x[0];
}
