kernel void one(device int *a, device float4 *v) {
  device int *p = &a[1];
  device float4 *q = &v[0];
  *p = q->x;
}
