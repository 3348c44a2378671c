kernel void one(device float *a) {
  let x = 1.0;
  //~^ error[MSL0200]: nothing named `let` is declared
  a[0] = x;
  if (a == None) a[1] = True;
  //~^ error[MSL0200]: nothing named `None` is declared
  //~^^ error[MSL0200]: nothing named `True` is declared
}
