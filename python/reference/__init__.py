"""Reference results and timings from MLX's CPU back-end, for kernels that Apple's compiler made."""
