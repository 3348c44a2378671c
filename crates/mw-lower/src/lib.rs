//! Lowers the front-end's HIR to AIR in the shape that Apple's compiler writes.
