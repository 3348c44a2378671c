//! Apple Metal compute kernels on any machine.
