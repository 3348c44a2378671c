//! Codes of lowering to AIR: MSL0500 to MSL0599.

codes! {
    UNSUPPORTED = 500 "unsupported" Error {
        checks: "A construct that is correct Metal and that this compiler cannot lower yet.",
        why: "It is part of the language or library that this compiler names as not done.",
        example: "vertex float4 v() { return 0; }",
        instead: "kernel void k() {}",
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
        example: "kernel void k() { float a[1 << 30]; }",
        instead: "kernel void k(device float *a) {}",
        source: "Metal feature set tables: threadgroup memory has 32 KiB; this compiler",
    }
    NO_SUCH_KERNEL = 503 "no-such-kernel" Error {
        checks: "A kernel was asked for that the source does not define.",
        why: "Templates are kernels only where they are instantiated, under the name in `host_name`.",
        example: "template <typename T> kernel void add(device T *x) {}",
        instead: "template [[host_name(\"add_float\")]] kernel void add<float>(device float *x);",
        source: "Metal Shading Language specification, section 5.1",
    }
    INTERNAL_LOWERING = 599 "internal-lowering" Error {
        checks: "The front-end handed over a program that breaks its own rules.",
        why: "This is a mistake in the compiler: please report it with the source.",
        example: "Any program that gets it.",
        instead: "Nothing that you write should get this.",
        source: "this compiler",
    }
}
