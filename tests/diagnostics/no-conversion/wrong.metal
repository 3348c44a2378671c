kernel void one(device float4 *a, device float3 *b, device int4 *c, device float *d, uint3 g [[thread_position_in_grid]]) {
  a[0] = b[0];
  //~^ error[MSL0223]: cannot convert `float3` to `float4`
  a[1] = c[0];
  //~^ error[MSL0223]: `int4` does not convert to `float4` by itself
  uint i = g;
  //~^ error[MSL0223]: cannot convert `uint3` to `uint`
  if (a[0] > 0) d[0] = 1;
  //~^ error[MSL0223]: a condition is one `bool`, this is `bool4`
  d[1] = d;
  //~^ error[MSL0223]: cannot convert `device float *` to `float`
}
