//! The only crate that links LLVM: scalar clean-up, code generation, just-in-time linking.
