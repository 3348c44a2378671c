template <typename T> T load(device T *p, uint i) { return p[i]; }
#define LOAD(p, i) load<float>(p, i)
kernel void one(device half *a, device float *b) {
  b[0] = load<float>(a, 0);
  //~^ error[MSL0220]: `load` takes a `device float *` here, not `device half *`
  b[1] = LOAD(b, a);
  //~^ error[MSL0220]: `load` takes a `uint` here, not `device half *`
}
