//! The CPU backend: compiled kernels, threadgroup scheduling, collectives.
