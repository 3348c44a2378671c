//! One diagnostic value with code, labels, notes and fix; its registry and renderers.
