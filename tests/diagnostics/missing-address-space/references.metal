float twice(const float &x) { return 2 * x; }
  //~^ error[MSL0230]: this reference to `const float` says no address space
kernel void one(device float &a, uint &i) {
  //~^ error[MSL0236]: the kernel's parameter `i` points to `thread` memory
  a = i;
}
