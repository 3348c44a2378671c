//! The headers: which text a name includes, and which names the texts declare.

/// Types, constants, traits and function templates: comes before every source.
static PRELUDE: &str = include_str!("headers/prelude.metal");
/// Apple's vector names for code that is shared with the host.
static SIMD: &str = include_str!("headers/simd.metal");
/// Tensors and the operations of Metal Performance Primitives.
static TENSOR: &str = include_str!("headers/tensor.metal");

/// Text that comes before every source.
///
/// It needs from the compiler, beside the type templates of [`crate::ast::BuiltinTemplate`]: `as_type` in
/// constant expressions, `__underlying_type(E)`, and the traits that it lists at its top.
pub fn prelude() -> &'static str {
    PRELUDE
}

/// The text behind `#include <name>`, or `None` if the library has no such header.
///
/// Metal's own headers are empty here, since [`prelude`] has everything already.
pub fn header(name: &str) -> Option<&'static str> {
    match name {
        "metal_tensor" | "MetalPerformancePrimitives/MetalPerformancePrimitives.h" => Some(TENSOR),
        "simd/simd.h" | "simd/vector_types.h" | "simd/matrix_types.h" | "simd/vector.h" | "simd/matrix.h" => {
            Some(SIMD)
        }
        _ => EMPTY.contains(&name).then_some(""),
    }
}

/// Headers with nothing of their own.
const EMPTY: &[&str] = &[
    "metal_stdlib",
    "metal_algorithm",
    "metal_array",
    "metal_assert",
    "metal_atomic",
    "metal_command_buffer",
    "metal_common",
    "metal_compute",
    "metal_config",
    "metal_extended_vector",
    "metal_geometric",
    "metal_graphics",
    "metal_initializer_list",
    "metal_integer",
    "metal_iterator",
    "metal_limits",
    "metal_logging",
    "metal_math",
    "metal_matrix",
    "metal_numeric",
    "metal_pack",
    "metal_packed_vector",
    "metal_quadgroup",
    "metal_relational",
    "metal_simdgroup",
    "metal_simdgroup_matrix",
    "metal_texture",
    "metal_tuple",
    "metal_type_traits",
    "metal_types",
    "metal_uniform",
    "metal_utility",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "cstddef",
    "cstdint",
    "limits.h",
    "float.h",
    "),
        ",
    " | ",
    " => Some(TENSOR),
        ",
    " | ",
    " | ",
    " | ",
    " | ",
];

/// Names of headers, for suggestions.
pub(crate) fn header_names() -> impl Iterator<Item = &'static str> {
    EMPTY.iter().copied().chain(["metal_tensor", "simd/simd.h"])
}

/// Whether a name is a function template of the library that no header declares: `name<…>(…)` is a call.
pub fn is_function_template_name(name: &str) -> bool {
    name == "as_type"
}

/// Whether a name is a type that the library declares at global scope.
pub fn is_type_name(name: &str) -> bool {
    let name = name.strip_prefix("packed_").unwrap_or(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_scalar = matches!(
        stem,
        "bool"
            | "char"
            | "uchar"
            | "short"
            | "ushort"
            | "int"
            | "uint"
            | "long"
            | "ulong"
            | "half"
            | "bfloat"
            | "float"
    );
    match &name[stem.len()..] {
        "2" | "3" | "4" if is_scalar => true,
        "" => {
            matches!(
                stem,
                "uchar"
                    | "ushort"
                    | "uint"
                    | "ulong"
                    | "size_t"
                    | "ptrdiff_t"
                    | "intptr_t"
                    | "uintptr_t"
                    | "atomic_int"
                    | "atomic_uint"
                    | "atomic_float"
                    | "atomic_bool"
                    | "atomic_long"
                    | "atomic_ulong"
            ) || integer_typedef(stem)
        }
        _ => integer_typedef(name) || matrix_typedef(name),
    }
}

/// `int8_t` … `uint64_t`
fn integer_typedef(name: &str) -> bool {
    let bits =
        name.strip_prefix('u').unwrap_or(name).strip_prefix("int").and_then(|rest| rest.strip_suffix("_t"));
    matches!(bits, Some("8" | "16" | "32" | "64"))
}

/// `float4x4`, `half2x3`
fn matrix_typedef(name: &str) -> bool {
    let size = name.strip_prefix("float").or_else(|| name.strip_prefix("half"));
    matches!(size.map(str::as_bytes), Some([b'2'..=b'4', b'x', b'2'..=b'4']))
}
