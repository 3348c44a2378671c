//! Codes of lowering to AIR: MSL0500 to MSL0599.

codes! {
    UNSUPPORTED = 500 "unsupported" Error {
        checks: "A construct that is correct Metal and that this compiler cannot lower yet.",
        why: "It is part of the language or library that this compiler names as not done.",
        example: "vertex float4 v() { return 0; }",
        instead: "kernel void k() {}",
        source: "this compiler",
    }
}
