//! The reference executor of AIR: slow, obvious, deterministic.
