kernel void one(device float *a, device half4 *b, device float4 *c, device float3 *d, uint3 g [[thread_position_in_grid]]) {
  a[0] = a[1] % 2.0f;
  //~^ error[MSL0224]: `%` does not go with `float` and `float`
  a[1] = a[0] << 1;
  //~^ error[MSL0224]: `<<` does not go with `float` and `int`
  c[0] = b[0] * c[0];
  //~^ error[MSL0224]: `*` does not go with `half4` and `float4`
  c[1] = c[0] + d[0];
  //~^ error[MSL0224]: `+` does not go with `float4` and `float3`
  a[g] = 1;
  //~^ error[MSL0224]: an index is an integer, this is `uint3`
}
