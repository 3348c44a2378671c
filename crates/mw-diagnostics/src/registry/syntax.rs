//! Codes of the parser: MSL0100 to MSL0199.

codes! {
    EXPECTED_TOKEN = 100 "expected-token" Error {
        checks: "A place where the grammar needs a certain token and another one stands.",
        why: "The text before it is not complete.",
        example: "kernel void k(device float *a) { a[0] = 1.0f }",
        instead: "kernel void k(device float *a) { a[0] = 1.0f; }",
        source: "C++17 grammar; Metal Shading Language specification, \"Metal and C++17\"",
    }
}
