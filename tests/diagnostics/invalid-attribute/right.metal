kernel void one(device float *a [[buffer(0)]], device float *b [[buffer(1)]]) {
  a[0] = b[0];
}
kernel void two(device float *a, uint i [[thread_position_in_grid]]) {
  a[i] = 1;
}
kernel void three(device float *a [[buffer(30)]]) {
  a[0] = 1;
}
