//! Codes of name lookup, types and templates: MSL0200 to MSL0499.

codes! {
    ADDRESS_SPACE_MISMATCH = 231 "address-space-mismatch" Error {
        checks: "A pointer or reference to one address space used where another is needed.",
        why: "The address spaces are different memories: no conversion between their pointers exists.",
        example: "kernel void k(device float *a, threadgroup float *t) { t = a; }",
        instead: "kernel void k(device float *a, threadgroup float *t) { *t = *a; }",
        source: "Metal Shading Language specification, \"Address Spaces\"",
    }
}
