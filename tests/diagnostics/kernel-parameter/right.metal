kernel void one(device float *a, constant int &n, uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
  a[i] = n + lane;
}
struct Arguments { device float *a; };
kernel void two(device Arguments &arguments, threadgroup float *p) {
  arguments.a[0] = p[0];
}
