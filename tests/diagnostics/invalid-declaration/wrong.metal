kernel void one(device float *a) {
  threadgroup float sum = 0;
  //~^ error[MSL0212]: a `threadgroup` variable cannot have an initial value
  device float x = 1;
  //~^ error[MSL0212]: a local variable cannot live in `device` memory
  a[0] = sum + x;
}
kernel float two(device float *a) {
  //~^ error[MSL0212]: kernel `two` returns a value
  return a[0];
}
int main() {
  //~^ error[MSL0212]: no function of Metal is called `main`
  return 0;
}
