kernel void k(device float *a) {
  a[0] = 1.0f
  a[1] = 2.0f;
  //~^^ error[MSL0100]: expected `;` after the expression
  if a[1] { }
  //~^ error[MSL0100]: expected `(` after `if`, found `a`
}
struct S { int a; }
//~^ error[MSL0100]: expected `;` after the definition
void f() {}
