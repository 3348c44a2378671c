kernel void one(device bfloat16_t *x, device float32_t *y, uint g [[thread_position_in_grid]]) {
  //~^ error[MSL0200]: nothing named `bfloat16_t` is declared
  //~^^ error[MSL0200]: nothing named `float32_t` is declared
  x[g] = bfloat16_t(1.0f);
}
