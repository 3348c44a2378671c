kernel void one(device int *a) {
  for (int i = 0; i < 4; ++i) {
    if (a[i]) break;
    if (a[i + 4]) continue;
    a[i] = 1;
  }
  switch (a[0]) {
    case 1: a[0] = 2; break;
    case 2: break;
  }
}
