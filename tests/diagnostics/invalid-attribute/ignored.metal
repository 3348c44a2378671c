[[max_total_threads_per_threadgrop(32)]]
  //~^ warning[MSL0235]: a kernel has no attribute `max_total_threads_per_threadgrop`
kernel void one(device float *a [[bufer(3)]], device float *b [[thread_position_in_grid]]) {
  //~^ warning[MSL0235]: a buffer has no attribute `bufer`
  //~^^ error[MSL0235]: `thread_position_in_grid` is a number, and this parameter is a buffer
  a[0] = b[0];
}
