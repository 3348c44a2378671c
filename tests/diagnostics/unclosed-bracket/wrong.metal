template <typename T> T one(T x) { return x; }
kernel void k(device float *a) {
  a[0] = (1.0f + 2.0f;
  //~^ error[MSL0105]: expected `)`, found `;`
  a[1 = 2.0f;
  //~^ error[MSL0105]: expected `]`, found `;`
  a[2] = one<float(1);
  //~^ error[MSL0105]: expected `,` or `>` after a template argument, found `;`
}
