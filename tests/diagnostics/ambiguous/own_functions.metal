float mix_up(float x, int y) { return x; }
float mix_up(int x, float y) { return y; }
kernel void one(device float *a) {
  a[0] = mix_up(1, 2);
  //~^ error[MSL0219]: more than one `mix_up` fits the arguments (int, int) equally well
}
