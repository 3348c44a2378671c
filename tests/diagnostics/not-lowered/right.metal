kernel void k(device const float4 *image, device float *a) {
  a[0] = image[0].x;
}
