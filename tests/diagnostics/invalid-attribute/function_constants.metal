constant int n [[function_constant(0)]] = 4;
  //~^ error[MSL0235]: a function constant gets its value from the host: it has no initial value
kernel void one(device int *a) {
  a[0] = n;
}
[[max_total_threads_per_threadgroup(2048)]]
  //~^ error[MSL0235]: a threadgroup has 1 to 1024 threads, not 2048
kernel void two(device int *a) {
  a[0] = 1;
}
