kernel void one(device float2 *a, device float4 *b, device float *c) {
  a[0].xz = a[1];
  //~^ error[MSL0203]: `float2` has no component `xz`
  b[0].xg = a[1];
  //~^ error[MSL0203]: `float4` has no component `xg`
  c[0].x = 1;
  //~^ error[MSL0203]: `float` has no member `x`
}
