//! The rows themselves, in the order of the specification's chapters.

use super::{AtomicKind, Chapter, Class, Expansion, MatrixKind, Op, Row, Spaces};

const fn row(
    name: &'static str,
    chapter: Chapter,
    spaces: Spaces,
    class: Class,
    signature: &'static str,
    op: Op,
    doc: &'static str,
) -> Row {
    Row { name, chapter, spaces, class, signature, defaults: &[], op, doc }
}

const fn math(name: &'static str, signature: &'static str, op: Op, doc: &'static str) -> Row {
    row(name, Chapter::Math, Spaces::MetalFastPrecise, Class::Float, signature, op, doc)
}

const fn math1(name: &'static str, doc: &'static str) -> Row {
    math(name, "T T", Op::Math(name), doc)
}

const fn math2(name: &'static str, doc: &'static str) -> Row {
    math(name, "T T T", Op::Math(name), doc)
}

const fn common(name: &'static str, signature: &'static str, op: Op, doc: &'static str) -> Row {
    row(name, Chapter::Common, Spaces::MetalFastPrecise, Class::Float, signature, op, doc)
}

const fn integer(name: &'static str, signature: &'static str, op: Op, doc: &'static str) -> Row {
    row(name, Chapter::Integer, Spaces::MetalAndInternal, Class::Integer, signature, op, doc)
}

const fn relational(
    name: &'static str,
    class: Class,
    signature: &'static str,
    op: Op,
    doc: &'static str,
) -> Row {
    row(name, Chapter::Relational, Spaces::MetalAndInternal, class, signature, op, doc)
}

const fn geometric(name: &'static str, signature: &'static str, op: Expansion, doc: &'static str) -> Row {
    row(
        name,
        Chapter::Geometric,
        Spaces::MetalFastPrecise,
        Class::FloatVector,
        signature,
        Op::Expand(op),
        doc,
    )
}

const fn simd(
    name: &'static str,
    class: Class,
    signature: &'static str,
    op: &'static str,
    doc: &'static str,
) -> Row {
    row(name, Chapter::Simdgroup, Spaces::MetalAndInternal, class, signature, Op::Simd(op), doc)
}

const fn quad(
    name: &'static str,
    class: Class,
    signature: &'static str,
    op: &'static str,
    doc: &'static str,
) -> Row {
    row(name, Chapter::Quadgroup, Spaces::MetalAndInternal, class, signature, Op::Quad(op), doc)
}

const fn compute(
    name: &'static str,
    signature: &'static str,
    defaults: &'static [i64],
    op: Op,
    doc: &'static str,
) -> Row {
    Row { defaults, ..row(name, Chapter::Compute, Spaces::MetalAndInternal, Class::One, signature, op, doc) }
}

const fn atomic(name: &'static str, kind: AtomicKind, op: &'static str, doc: &'static str) -> Row {
    row(name, Chapter::Atomic, Spaces::Metal, Class::Atomic(kind), "", Op::Atomic(kind, op), doc)
}

const fn matrix(name: &'static str, kind: MatrixKind, op: &'static str, doc: &'static str) -> Row {
    row(
        name,
        Chapter::SimdgroupMatrix,
        Spaces::Metal,
        Class::SimdgroupMatrix(kind),
        "",
        Op::SimdgroupMatrix(kind, op),
        doc,
    )
}

const fn pack(name: &'static str, signature: &'static str, op: Expansion, doc: &'static str) -> Row {
    row(name, Chapter::Pack, Spaces::Metal, Class::One, signature, Op::Expand(op), doc)
}

const fn internal(
    name: &'static str,
    class: Class,
    signature: &'static str,
    op: Op,
    doc: &'static str,
) -> Row {
    row(name, Chapter::Internal, Spaces::Global, class, signature, op, doc)
}

/// Every row.
pub static ROWS: &[Row] = &[
    // metal_math
    math1("acos", "arc cosine, in radians"),
    math1("acosh", "inverse hyperbolic cosine"),
    math1("asin", "arc sine, in radians"),
    math1("asinh", "inverse hyperbolic sine"),
    math1("atan", "arc tangent, in radians"),
    math2("atan2", "angle of the point (x, y), given as y, x"),
    math1("atanh", "inverse hyperbolic tangent"),
    math1("ceil", "least integer that is not below x"),
    math("copysign", "T T T", Op::Expand(Expansion::Copysign), "x with the sign of y"),
    math1("cos", "cosine of an angle in radians"),
    math1("cosh", "hyperbolic cosine"),
    math1("cospi", "cosine of πx"),
    math("divide", "T T T", Op::Expand(Expansion::Divide), "x / y"),
    math1("exp", "e to the power x"),
    math1("exp10", "10 to the power x"),
    math1("exp2", "2 to the power x"),
    math1("fabs", "magnitude"),
    math("abs", "T T", Op::Math("fabs"), "magnitude"),
    math("fdim", "T T T", Op::Expand(Expansion::Fdim), "x - y if x > y, else 0"),
    math1("floor", "greatest integer that is not above x"),
    math("fma", "T T T T", Op::PreciseMath("fma"), "a b + c, rounded once"),
    math2("fmax", "greater of two; the number if one is NaN"),
    math("fmax3", "T T T T", Op::Math("fmax3"), "greatest of three"),
    math("fmedian3", "T T T T", Op::Expand(Expansion::Median3), "middle one of three"),
    math2("fmin", "smaller of two; the number if one is NaN"),
    math("fmin3", "T T T T", Op::Math("fmin3"), "smallest of three"),
    math2("fmod", "x - y trunc(x / y)"),
    math1("fract", "x - floor(x), below 1"),
    math("frexp", "T T &I", Op::Expand(Expansion::Frexp), "fraction in [1/2, 1) and exponent: x = f 2^e"),
    math("ilogb", "I T", Op::Expand(Expansion::Ilogb), "exponent of x as an integer"),
    math("ldexp", "T T I", Op::Math("ldexp"), "x 2^k"),
    math1("log", "natural logarithm"),
    math1("log10", "logarithm to base 10"),
    math1("log2", "logarithm to base 2"),
    math("modf", "T T &T", Op::Expand(Expansion::Modf), "fraction of x; its whole part is stored"),
    math("nextafter", "T T T", Op::PreciseMath("nextafter"), "next number from x towards y"),
    math2("pow", "x to the power y"),
    math2("powr", "x to the power y, for x not below 0"),
    math1("rint", "nearest integer, even for ties"),
    math1("round", "nearest integer, away from 0 for ties"),
    math1("rsqrt", "1 / sqrt(x)"),
    math1("sin", "sine of an angle in radians"),
    math("sincos", "T T &T", Op::Math("sincos"), "sine; the cosine is stored"),
    math1("sinh", "hyperbolic sine"),
    math1("sinpi", "sine of πx"),
    math1("sqrt", "square root"),
    math1("tan", "tangent of an angle in radians"),
    math1("tanh", "hyperbolic tangent"),
    math1("tanpi", "tangent of πx"),
    math1("trunc", "x without its fraction"),
    math("max", "T T T", Op::Math("fmax"), "greater of two"),
    math("min", "T T T", Op::Math("fmin"), "smaller of two"),
    math("max3", "T T T T", Op::Math("fmax3"), "greatest of three"),
    math("min3", "T T T T", Op::Math("fmin3"), "smallest of three"),
    math("median3", "T T T T", Op::Expand(Expansion::Median3), "middle one of three"),
    // metal_common
    common("clamp", "T T T T", Op::Math("clamp"), "min(max(x, low), high)"),
    common("mix", "T T T T", Op::Expand(Expansion::Mix), "x + (y - x) a"),
    common("saturate", "T T", Op::Math("saturate"), "clamp(x, 0, 1); 0 for NaN"),
    common("sign", "T T", Op::Expand(Expansion::Sign), "1, -1, or the zero that x is; 0 for NaN"),
    common(
        "smoothstep",
        "T T T T",
        Op::Expand(Expansion::Smoothstep),
        "0 up to edge0, 1 from edge1 on, a cubic between",
    ),
    common("step", "T T T", Op::Expand(Expansion::Step), "0 if x < edge, else 1"),
    // metal_integer
    integer("abs", "T T", Op::Integer("abs"), "magnitude"),
    integer("absdiff", "T T T", Op::Expand(Expansion::AbsDiff), "distance of x and y, without overflow"),
    integer("addsat", "T T T", Op::Expand(Expansion::AddSat), "x + y, held at the ends of the range"),
    integer("clamp", "T T T T", Op::Integer("clamp"), "min(max(x, low), high)"),
    integer("clz", "T T", Op::CountZeros("clz"), "zeros above the highest one"),
    integer("ctz", "T T", Op::CountZeros("ctz"), "zeros below the lowest one"),
    integer(
        "extract_bits",
        "T T uint uint",
        Op::Integer("extract_bits"),
        "field of `bits` bits from `offset` on, extended by its sign or by zeros",
    ),
    integer("hadd", "T T T", Op::Expand(Expansion::HAdd), "(x + y) >> 1 without overflow"),
    integer(
        "insert_bits",
        "T T T uint uint",
        Op::UnsignedInteger("insert_bits"),
        "base with the field of `bits` bits from `offset` on replaced",
    ),
    row(
        "mad24",
        Chapter::Integer,
        Spaces::MetalAndInternal,
        Class::Int32,
        "T T T T",
        Op::Expand(Expansion::Mad24),
        "mul24(x, y) + z",
    ),
    integer("madhi", "T T T T", Op::Expand(Expansion::MadHi), "mulhi(a, b) + c"),
    integer("madsat", "T T T T", Op::Expand(Expansion::MadSat), "a b + c, held at the ends of the range"),
    integer("max", "T T T", Op::Integer("max"), "greater of two"),
    integer("max3", "T T T T", Op::Integer("max3"), "greatest of three"),
    integer("median3", "T T T T", Op::Expand(Expansion::Median3), "middle one of three"),
    integer("min", "T T T", Op::Integer("min"), "smaller of two"),
    integer("min3", "T T T T", Op::Integer("min3"), "smallest of three"),
    row(
        "mul24",
        Chapter::Integer,
        Spaces::MetalAndInternal,
        Class::Int32,
        "T T T",
        Op::Expand(Expansion::Mul24),
        "product of the low 24 bits",
    ),
    integer("mulhi", "T T T", Op::Integer("mul_hi"), "upper half of the product"),
    integer("popcount", "T T", Op::UnsignedInteger("popcount"), "number of ones"),
    integer("reverse_bits", "T T", Op::UnsignedInteger("reverse_bits"), "bits in the opposite order"),
    integer("rhadd", "T T T", Op::Expand(Expansion::RHAdd), "(x + y + 1) >> 1 without overflow"),
    integer("rotate", "T T T", Op::Expand(Expansion::Rotate), "bits of v rotated to the left"),
    integer("subsat", "T T T", Op::Expand(Expansion::SubSat), "x - y, held at the ends of the range"),
    // metal_relational
    relational("all", Class::BoolVector, "bool T", Op::Relational("all"), "whether all components are true"),
    relational("any", Class::BoolVector, "bool T", Op::Relational("any"), "whether any component is true"),
    relational("isfinite", Class::Float, "B T", Op::Expand(Expansion::IsFinite), "neither infinite nor NaN"),
    relational("isinf", Class::Float, "B T", Op::Expand(Expansion::IsInf), "infinite"),
    relational("isnan", Class::Float, "B T", Op::Expand(Expansion::IsNan), "NaN"),
    relational(
        "isnormal",
        Class::Float,
        "B T",
        Op::Expand(Expansion::IsNormal),
        "neither 0, denormal, infinite nor NaN",
    ),
    relational("isordered", Class::Float, "B T T", Op::Expand(Expansion::IsOrdered), "neither is NaN"),
    relational("isunordered", Class::Float, "B T T", Op::Expand(Expansion::IsUnordered), "either is NaN"),
    relational("not", Class::BoolVector, "T T", Op::Expand(Expansion::Not), "each component negated"),
    relational("select", Class::Number, "T T T B", Op::Expand(Expansion::Select), "c ? b : a, by component"),
    relational("select", Class::Bool, "T T T T", Op::Expand(Expansion::Select), "c ? b : a, by component"),
    relational("signbit", Class::Float, "B T", Op::Expand(Expansion::SignBit), "the sign bit is set"),
    // metal_geometric
    row(
        "cross",
        Chapter::Geometric,
        Spaces::MetalFastPrecise,
        Class::Float3,
        "T T T",
        Op::Expand(Expansion::Cross),
        "cross product",
    ),
    geometric("distance", "N T T", Expansion::Distance, "length of x - y"),
    geometric("distance_squared", "N T T", Expansion::DistanceSquared, "square of the distance"),
    row(
        "dot",
        Chapter::Geometric,
        Spaces::MetalFastPrecise,
        Class::FloatVector,
        "N T T",
        Op::PreciseMath("dot"),
        "sum of the products of the components",
    ),
    geometric("faceforward", "T T T T", Expansion::FaceForward, "n if dot(i, nref) < 0, else -n"),
    geometric("length", "N T", Expansion::Length, "Euclidean length"),
    geometric("length_squared", "N T", Expansion::LengthSquared, "square of the length"),
    geometric("normalize", "T T", Expansion::Normalize, "x / length(x)"),
    geometric("reflect", "T T T", Expansion::Reflect, "i - 2 n dot(n, i)"),
    geometric("refract", "T T T N", Expansion::Refract, "direction behind a surface with ratio eta"),
    // metal_matrix
    row(
        "determinant",
        Chapter::Matrix,
        Spaces::Metal,
        Class::SquareMatrix,
        "N T",
        Op::Expand(Expansion::Determinant),
        "determinant",
    ),
    row(
        "transpose",
        Chapter::Matrix,
        Spaces::Metal,
        Class::Matrix,
        "R T",
        Op::Expand(Expansion::Transpose),
        "columns become rows",
    ),
    // metal_compute
    compute(
        "threadgroup_barrier",
        "void mem_flags thread_scope",
        &[1],
        Op::ThreadgroupBarrier,
        "all threads of the threadgroup meet; memory that the flags name is ordered",
    ),
    compute(
        "simdgroup_barrier",
        "void mem_flags thread_scope",
        &[4],
        Op::SimdgroupBarrier,
        "all threads of the simdgroup meet; memory that the flags name is ordered",
    ),
    compute(
        "atomic_thread_fence",
        "void mem_flags memory_order thread_scope",
        &[2],
        Op::Fence,
        "orders the thread's accesses to the memory that the flags name",
    ),
    // metal_simdgroup
    simd("simd_sum", Class::Lane, "T T", "sum", "sum over the active lanes"),
    simd("simd_product", Class::Lane, "T T", "product", "product over the active lanes"),
    simd("simd_min", Class::Lane, "T T", "min", "smallest among the active lanes"),
    simd("simd_max", Class::Lane, "T T", "max", "greatest among the active lanes"),
    simd("simd_and", Class::LaneInteger, "T T", "and", "bitwise and over the active lanes"),
    simd("simd_or", Class::LaneInteger, "T T", "or", "bitwise or over the active lanes"),
    simd("simd_xor", Class::LaneInteger, "T T", "xor", "bitwise exclusive or over the active lanes"),
    simd(
        "simd_prefix_inclusive_sum",
        Class::Lane,
        "T T",
        "prefix_inclusive_sum",
        "sum over the active lanes up to this one",
    ),
    simd(
        "simd_prefix_exclusive_sum",
        Class::Lane,
        "T T",
        "prefix_exclusive_sum",
        "sum over the active lanes before this one",
    ),
    simd(
        "simd_prefix_inclusive_product",
        Class::Lane,
        "T T",
        "prefix_inclusive_product",
        "product over the active lanes up to this one",
    ),
    simd(
        "simd_prefix_exclusive_product",
        Class::Lane,
        "T T",
        "prefix_exclusive_product",
        "product over the active lanes before this one",
    ),
    simd("simd_broadcast", Class::Lane, "T T lane", "broadcast", "the value of one lane"),
    simd("simd_broadcast_first", Class::Lane, "T T", "broadcast_first", "the value of the first active lane"),
    simd("simd_shuffle", Class::Lane, "T T lane", "shuffle", "the value of the lane that each lane names"),
    simd("simd_shuffle_up", Class::Lane, "T T lane", "shuffle_up", "the value of the lane `delta` below"),
    simd("simd_shuffle_down", Class::Lane, "T T lane", "shuffle_down", "the value of the lane `delta` above"),
    simd(
        "simd_shuffle_rotate_up",
        Class::Lane,
        "T T lane",
        "shuffle_rotate_up",
        "the value of the lane `delta` below, wrapping round",
    ),
    simd(
        "simd_shuffle_rotate_down",
        Class::Lane,
        "T T lane",
        "shuffle_rotate_down",
        "the value of the lane `delta` above, wrapping round",
    ),
    simd("simd_shuffle_xor", Class::Lane, "T T lane", "shuffle_xor", "the value of lane `lane ^ mask`"),
    simd(
        "simd_shuffle_and_fill_up",
        Class::Lane,
        "T T T lane",
        "shuffle_and_fill_up",
        "the value of the lane `delta` below, filled from the upper lanes of the second operand",
    ),
    simd(
        "simd_shuffle_and_fill_up",
        Class::Lane,
        "T T T lane lane",
        "shuffle_and_fill_up",
        "the same in groups of `modulo` lanes",
    ),
    simd(
        "simd_shuffle_and_fill_down",
        Class::Lane,
        "T T T lane",
        "shuffle_and_fill_down",
        "the value of the lane `delta` above, filled from the lower lanes of the second operand",
    ),
    simd(
        "simd_shuffle_and_fill_down",
        Class::Lane,
        "T T T lane lane",
        "shuffle_and_fill_down",
        "the same in groups of `modulo` lanes",
    ),
    simd("simd_all", Class::One, "bool bool", "all", "whether the predicate holds in all active lanes"),
    simd("simd_any", Class::One, "bool bool", "any", "whether the predicate holds in any active lane"),
    simd("simd_is_first", Class::One, "bool", "is_first", "whether this is the first active lane"),
    row(
        "simd_is_helper_thread",
        Chapter::Simdgroup,
        Spaces::Metal,
        Class::One,
        "bool",
        Op::Unsupported("fragment functions"),
        "whether this is a helper thread of a fragment function",
    ),
    // metal_quadgroup
    quad("quad_sum", Class::Lane, "T T", "sum", "sum over the active lanes of the quadgroup"),
    quad("quad_product", Class::Lane, "T T", "product", "product over the active lanes of the quadgroup"),
    quad("quad_min", Class::Lane, "T T", "min", "smallest in the quadgroup"),
    quad("quad_max", Class::Lane, "T T", "max", "greatest in the quadgroup"),
    quad("quad_and", Class::LaneInteger, "T T", "and", "bitwise and over the quadgroup"),
    quad("quad_or", Class::LaneInteger, "T T", "or", "bitwise or over the quadgroup"),
    quad("quad_xor", Class::LaneInteger, "T T", "xor", "bitwise exclusive or over the quadgroup"),
    quad(
        "quad_prefix_inclusive_sum",
        Class::Lane,
        "T T",
        "prefix_inclusive_sum",
        "sum over the quadgroup up to this lane",
    ),
    quad(
        "quad_prefix_exclusive_sum",
        Class::Lane,
        "T T",
        "prefix_exclusive_sum",
        "sum over the quadgroup before this lane",
    ),
    quad(
        "quad_prefix_inclusive_product",
        Class::Lane,
        "T T",
        "prefix_inclusive_product",
        "product over the quadgroup up to this lane",
    ),
    quad(
        "quad_prefix_exclusive_product",
        Class::Lane,
        "T T",
        "prefix_exclusive_product",
        "product over the quadgroup before this lane",
    ),
    quad("quad_broadcast", Class::Lane, "T T lane", "broadcast", "the value of one lane of the quadgroup"),
    quad("quad_broadcast_first", Class::Lane, "T T", "broadcast_first", "the value of the first active lane"),
    quad("quad_shuffle", Class::Lane, "T T lane", "shuffle", "the value of the lane that each lane names"),
    quad("quad_shuffle_up", Class::Lane, "T T lane", "shuffle_up", "the value of the lane `delta` below"),
    quad("quad_shuffle_down", Class::Lane, "T T lane", "shuffle_down", "the value of the lane `delta` above"),
    quad("quad_shuffle_xor", Class::Lane, "T T lane", "shuffle_xor", "the value of lane `lane ^ mask`"),
    quad(
        "quad_shuffle_rotate_up",
        Class::Lane,
        "T T lane",
        "shuffle_rotate_up",
        "the value of the lane `delta` below, wrapping round",
    ),
    quad(
        "quad_shuffle_rotate_down",
        Class::Lane,
        "T T lane",
        "shuffle_rotate_down",
        "the value of the lane `delta` above, wrapping round",
    ),
    quad(
        "quad_shuffle_and_fill_up",
        Class::Lane,
        "T T T lane",
        "shuffle_and_fill_up",
        "the value of the lane `delta` below, filled from the second operand",
    ),
    quad(
        "quad_shuffle_and_fill_up",
        Class::Lane,
        "T T T lane lane",
        "shuffle_and_fill_up",
        "the same in groups of `modulo` lanes",
    ),
    quad(
        "quad_shuffle_and_fill_down",
        Class::Lane,
        "T T T lane",
        "shuffle_and_fill_down",
        "the value of the lane `delta` above, filled from the second operand",
    ),
    quad(
        "quad_shuffle_and_fill_down",
        Class::Lane,
        "T T T lane lane",
        "shuffle_and_fill_down",
        "the same in groups of `modulo` lanes",
    ),
    quad("quad_all", Class::One, "bool bool", "all", "whether the predicate holds in the whole quadgroup"),
    quad("quad_any", Class::One, "bool bool", "any", "whether the predicate holds anywhere in the quadgroup"),
    quad(
        "quad_is_first",
        Class::One,
        "bool",
        "is_first",
        "whether this is the quadgroup's first active lane",
    ),
    row(
        "quad_is_helper_thread",
        Chapter::Quadgroup,
        Spaces::Metal,
        Class::One,
        "bool",
        Op::Unsupported("fragment functions"),
        "whether this is a helper thread of a fragment function",
    ),
    // metal_atomic
    atomic("atomic_load_explicit", AtomicKind::Load, "load", "the value"),
    atomic("atomic_store_explicit", AtomicKind::Store, "store", "replaces the value"),
    atomic("atomic_exchange_explicit", AtomicKind::Exchange, "xchg", "replaces the value, gives the old one"),
    atomic(
        "atomic_compare_exchange_weak_explicit",
        AtomicKind::CompareExchange,
        "cmpxchg.weak",
        "replaces the value if it is the expected one, which gets the old one; whether it did",
    ),
    atomic("atomic_fetch_add_explicit", AtomicKind::Sum, "add", "adds, gives the old value"),
    atomic("atomic_fetch_sub_explicit", AtomicKind::Sum, "sub", "subtracts, gives the old value"),
    atomic("atomic_fetch_and_explicit", AtomicKind::Integer, "and", "bitwise and, gives the old value"),
    atomic("atomic_fetch_or_explicit", AtomicKind::Integer, "or", "bitwise or, gives the old value"),
    atomic("atomic_fetch_xor_explicit", AtomicKind::Integer, "xor", "exclusive or, gives the old value"),
    atomic("atomic_fetch_min_explicit", AtomicKind::Integer, "min", "minimum, gives the old value"),
    atomic("atomic_fetch_max_explicit", AtomicKind::Integer, "max", "maximum, gives the old value"),
    atomic("atomic_min_explicit", AtomicKind::Void64, "min", "minimum of 64 bits, in device memory"),
    atomic("atomic_max_explicit", AtomicKind::Void64, "max", "maximum of 64 bits, in device memory"),
    // metal_simdgroup_matrix
    matrix("simdgroup_load", MatrixKind::Load, "load", "reads 8 × 8 elements from memory"),
    matrix("simdgroup_store", MatrixKind::Store, "store", "writes 8 × 8 elements to memory"),
    matrix("simdgroup_multiply", MatrixKind::Multiply, "multiply_accumulate", "d = a b"),
    matrix(
        "simdgroup_multiply_accumulate",
        MatrixKind::MultiplyAccumulate,
        "multiply_accumulate",
        "d = a b + c",
    ),
    // metal_pack
    pack("pack_float_to_unorm4x8", "uint float4", Expansion::PackUnorm4x8, "four numbers in [0, 1] as bytes"),
    pack("pack_half_to_unorm4x8", "uint half4", Expansion::PackUnorm4x8, "four numbers in [0, 1] as bytes"),
    pack(
        "pack_float_to_snorm4x8",
        "uint float4",
        Expansion::PackSnorm4x8,
        "four numbers in [-1, 1] as bytes",
    ),
    pack("pack_half_to_snorm4x8", "uint half4", Expansion::PackSnorm4x8, "four numbers in [-1, 1] as bytes"),
    pack("pack_float_to_unorm2x16", "uint float2", Expansion::PackUnorm2x16, "two numbers in [0, 1]"),
    pack("pack_half_to_unorm2x16", "uint half2", Expansion::PackUnorm2x16, "two numbers in [0, 1]"),
    pack("pack_float_to_snorm2x16", "uint float2", Expansion::PackSnorm2x16, "two numbers in [-1, 1]"),
    pack("pack_half_to_snorm2x16", "uint half2", Expansion::PackSnorm2x16, "two numbers in [-1, 1]"),
    pack("pack_float_to_srgb_unorm4x8", "uint float4", Expansion::PackSrgb4x8, "linear color as sRGB bytes"),
    pack("pack_half_to_srgb_unorm4x8", "uint half4", Expansion::PackSrgb4x8, "linear color as sRGB bytes"),
    pack("pack_float_to_unorm10a2", "uint float4", Expansion::PackUnorm10a2, "three of 10 bits, one of 2"),
    pack("pack_half_to_unorm10a2", "uint half4", Expansion::PackUnorm10a2, "three of 10 bits, one of 2"),
    row(
        "pack_float_to_unorm565",
        Chapter::Pack,
        Spaces::Metal,
        Class::One,
        "ushort float3",
        Op::Unsupported("a format whose order of components is not known here"),
        "5, 6 and 5 bits",
    ),
    row(
        "pack_half_to_unorm565",
        Chapter::Pack,
        Spaces::Metal,
        Class::One,
        "ushort half3",
        Op::Unsupported("a format whose order of components is not known here"),
        "5, 6 and 5 bits",
    ),
    pack("unpack_unorm4x8_to_float", "float4 uint", Expansion::UnpackUnorm4x8, "bytes as numbers in [0, 1]"),
    pack("unpack_unorm4x8_to_half", "half4 uint", Expansion::UnpackUnorm4x8, "bytes as numbers in [0, 1]"),
    pack("unpack_snorm4x8_to_float", "float4 uint", Expansion::UnpackSnorm4x8, "bytes as numbers in [-1, 1]"),
    pack("unpack_snorm4x8_to_half", "half4 uint", Expansion::UnpackSnorm4x8, "bytes as numbers in [-1, 1]"),
    pack("unpack_unorm2x16_to_float", "float2 uint", Expansion::UnpackUnorm2x16, "numbers in [0, 1]"),
    pack("unpack_unorm2x16_to_half", "half2 uint", Expansion::UnpackUnorm2x16, "numbers in [0, 1]"),
    pack("unpack_snorm2x16_to_float", "float2 uint", Expansion::UnpackSnorm2x16, "numbers in [-1, 1]"),
    pack("unpack_snorm2x16_to_half", "half2 uint", Expansion::UnpackSnorm2x16, "numbers in [-1, 1]"),
    pack(
        "unpack_unorm4x8_srgb_to_float",
        "float4 uint",
        Expansion::UnpackSrgb4x8,
        "sRGB bytes as linear color",
    ),
    pack(
        "unpack_unorm4x8_srgb_to_half",
        "half4 uint",
        Expansion::UnpackSrgb4x8,
        "sRGB bytes as linear color",
    ),
    pack(
        "unpack_unorm10a2_to_float",
        "float4 uint",
        Expansion::UnpackUnorm10a2,
        "three of 10 bits, one of 2",
    ),
    pack("unpack_unorm10a2_to_half", "half4 uint", Expansion::UnpackUnorm10a2, "three of 10 bits, one of 2"),
    row(
        "unpack_unorm565_to_float",
        Chapter::Pack,
        Spaces::Metal,
        Class::One,
        "float3 ushort",
        Op::Unsupported("a format whose order of components is not known here"),
        "5, 6 and 5 bits",
    ),
    row(
        "unpack_unorm565_to_half",
        Chapter::Pack,
        Spaces::Metal,
        Class::One,
        "half3 ushort",
        Op::Unsupported("a format whose order of components is not known here"),
        "5, 6 and 5 bits",
    ),
    // Compiler-internal names.
    internal(
        "__metal_simd_ballot",
        Class::One,
        "ulong bool",
        Op::Simd("ballot"),
        "lanes with true, as a mask",
    ),
    internal("__metal_simd_vote_all", Class::One, "bool ulong", Op::Simd("vote_all"), "mask of all lanes"),
    internal("__metal_simd_vote_any", Class::One, "bool ulong", Op::Simd("vote_any"), "mask of any lane"),
    internal(
        "__metal_simd_active_threads_mask",
        Class::One,
        "ulong",
        Op::Expand(Expansion::ActiveThreadsMask),
        "the active lanes, as a mask",
    ),
    internal("__metal_quad_ballot", Class::One, "uint bool", Op::Quad("ballot"), "as a mask"),
    internal("__metal_get_simdgroup_size", Class::Index, "T T", Op::SimdgroupSize, "lanes of a simdgroup"),
    internal(
        "__metal_get_thread_index_in_simdgroup",
        Class::Index,
        "T T",
        Op::ThreadIndexInSimdgroup,
        "lane",
    ),
    row(
        "__metal_simdgroup_matrix_init_filled",
        Chapter::Internal,
        Spaces::Global,
        Class::SimdgroupMatrix(MatrixKind::Init),
        "",
        Op::SimdgroupMatrix(MatrixKind::Init, "init_filled"),
        "a simdgroup matrix with a number everywhere",
    ),
    row(
        "__metal_simdgroup_matrix_init_diag",
        Chapter::Internal,
        Spaces::Global,
        Class::SimdgroupMatrix(MatrixKind::Init),
        "",
        Op::SimdgroupMatrix(MatrixKind::Init, "init_diag"),
        "a simdgroup matrix with a number on its diagonal",
    ),
    internal("__metal_frexp", Class::Float, "T T *I", Op::Expand(Expansion::Frexp), "frexp with a pointer"),
    internal(
        "__metal_simd_xor",
        Class::Float,
        "T T",
        Op::Unsupported("the bitwise functions, which are for integers"),
        "refused: bitwise functions are for integers",
    ),
    internal(
        "__metal_tensor_operation",
        Class::One,
        "void",
        Op::Unsupported("tensor operations of Metal 4"),
        "refused: stands for every operation on tensors",
    ),
    internal("__builtin_clz", Class::One, "int uint", Op::CountZeros("clz"), "zeros above the highest one"),
    internal("__builtin_clzl", Class::One, "int ulong", Op::CountZeros("clz"), "zeros above the highest one"),
    internal(
        "__builtin_clzll",
        Class::One,
        "int ulong",
        Op::CountZeros("clz"),
        "zeros above the highest one",
    ),
    internal("__builtin_ctz", Class::One, "int uint", Op::CountZeros("ctz"), "zeros below the lowest one"),
    internal("__builtin_ctzl", Class::One, "int ulong", Op::CountZeros("ctz"), "zeros below the lowest one"),
    internal("__builtin_ctzll", Class::One, "int ulong", Op::CountZeros("ctz"), "zeros below the lowest one"),
    internal("__builtin_popcount", Class::One, "int uint", Op::UnsignedInteger("popcount"), "number of ones"),
    internal(
        "__builtin_popcountl",
        Class::One,
        "int ulong",
        Op::UnsignedInteger("popcount"),
        "number of ones",
    ),
    internal(
        "__builtin_popcountll",
        Class::One,
        "int ulong",
        Op::UnsignedInteger("popcount"),
        "number of ones",
    ),
];
