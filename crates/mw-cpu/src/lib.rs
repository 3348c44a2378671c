//! The CPU backend: compiled kernels, threadgroup scheduling, collectives.

mod code;
mod fault;
mod fibre;
mod float_control;
mod half;
mod switch;
mod symbols;
