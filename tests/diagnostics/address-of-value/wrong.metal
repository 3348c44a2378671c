kernel void one(device int *a, device float4 *v) {
  thread int *p = &(a[0] + 1);
  //~^ error[MSL0226]: cannot take the address of a value of type `int`
  device float2 *q = &v[0].xy;
  //~^ error[MSL0226]: components of a vector chosen together have no address
}
