//! Codes of lowering to AIR: MSL0500 to MSL0599.

codes! {
    UNSUPPORTED = 500 "not-lowered" Error {
        checks: "Correct Metal that this compiler cannot turn into AIR. If the message speaks of an internal error, please report it.",
        why: "It is part of the language or library that this compiler names as not done.",
        example: "#include <metal_stdlib>\nkernel void k(metal::texture2d<float> image [[texture(0)]], device float *a) { a[0] = 1; }",
        instead: "kernel void k(device const float4 *image, device float *a) { a[0] = image[0].x; }",
        source: "this compiler",
    }
    NESTED_TOO_DEEP = 501 "nested-too-deep" Error {
        checks: "Expressions, statements or types that nest deeper than the compiler follows.",
        why: "Every level takes stack of the compiler, and a program must not be able to use it up.",
        example: "An expression with several hundred pairs of parentheses around operators.",
        instead: "Give parts of the expression names: `float part = …;`.",
        source: "this compiler",
    }
    OBJECT_TOO_LARGE = 502 "object-too-large" Error {
        checks: "A variable of more than 1 GiB.",
        why: "No memory that a kernel can declare is as large.",
        example: "kernel void k(device float *b) { float a[1 << 30]; a[0] = 1; b[0] = a[0]; }",
        instead: "kernel void k(device float *a) {}",
        source: "Metal feature set tables: threadgroup memory has 32 KiB; this compiler",
    }
    NO_SUCH_KERNEL = 503 "no-such-kernel" Error {
        checks: "A kernel was asked for that the source does not define.",
        why: "Templates are kernels only where they are instantiated, under the name in `host_name`.",
        example: "// kernel: add_float\ntemplate <typename T> kernel void add(device T *x) { x[0] += 1; }",
        instead: "// kernel: add_float\ntemplate <typename T> kernel void add(device T *x) { x[0] += 1; }\ntemplate [[host_name(\"add_float\")]] kernel void add<float>(device float *x);",
        source: "Metal Shading Language specification, section 5.1",
    }
}
