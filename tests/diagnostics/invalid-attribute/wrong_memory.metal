kernel void one(device float *a [[threadgroup(0)]], threadgroup float *s [[buffer(1)]]) {
  //~^ error[MSL0235]: `a` is a buffer, no threadgroup memory
  //~^^ error[MSL0235]: `s` is threadgroup memory, no buffer
  a[0] = s[0];
}
