kernel void one(device int out, uint t [[thread_position_in_grid]]) {
  //~^ error[MSL0236]: the kernel's parameter `out` is a value, no pointer to `device` memory
  out[t] = 1;
  out[t + 1] = 2;
}
