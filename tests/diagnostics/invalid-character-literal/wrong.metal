kernel void k(device char *a) {
  a[0] = '';
  //~^ error[MSL0005]: a character literal is one character or one escape sequence
}
