kernel void k(device float *a, uint i [[thread_position_in_grid]]) {
  a[i] = 0;
}
