//! Name families: kernels that one template makes, told by their names.
//!
//! A library has thousands of kernels and hundreds of templates. The family of a kernel is its name with
//! every type name replaced by `T` and every number by `N`: `vvn_Addfloat16` and `vvn_Addint32` are both
//! `vvn_AddT`.

/// Type names as they occur in kernel names, longest first where one is a prefix of another.
const TYPES: [&str; 24] = [
    "complex64_t",
    "complex64",
    "bfloat16_t",
    "bfloat16",
    "float16_t",
    "float16",
    "float32",
    "float64",
    "bool_",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "int16",
    "int32",
    "int64",
    "int8",
    "bfloat",
    "float",
    "half",
    "bool",
    "short",
    "uint",
    "int",
];

/// The family of a kernel name.
pub fn family(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    let mut previous = ' ';
    'outer: while let Some(first) = rest.chars().next() {
        for ty in TYPES {
            if let Some(after) = rest.strip_prefix(ty) {
                // `int` inside a longer word, such as `point`, is no type.
                let short = !ty.ends_with(|c: char| c.is_ascii_digit() || c == '_');
                let inside = short
                    && (previous.is_ascii_lowercase() || after.starts_with(|c: char| c.is_ascii_lowercase()));
                if !inside {
                    out.push('T');
                    previous = 'T';
                    rest = after;
                    continue 'outer;
                }
            }
        }
        // `f32`, `bf16`, `u8` as words of their own.
        if !previous.is_ascii_alphanumeric()
            && let Some(after) = short_type(rest)
        {
            out.push('T');
            previous = 'T';
            rest = after;
            continue;
        }
        if first.is_ascii_digit() {
            out.push('N');
            previous = 'N';
            rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            continue;
        }
        out.push(first);
        previous = first;
        rest = &rest[first.len_utf8()..];
    }
    out
}

/// What follows a type such as `f32` that is a word.
fn short_type(text: &str) -> Option<&str> {
    let digits = ["bf", "f", "i", "u", "s"].iter().find_map(|stem| text.strip_prefix(stem))?;
    let after = ["64", "32", "16", "8"].iter().find_map(|size| digits.strip_prefix(size))?;
    (!after.starts_with(|c: char| c.is_ascii_alphanumeric())).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::family;

    #[test]
    fn types_and_numbers_are_placeholders() {
        assert_eq!(family("vvn_Addfloat16"), "vvn_AddT");
        assert_eq!(family("gn4large_Absbool_bool_"), "gnNlarge_AbsTT");
        assert_eq!(family("affine_qmv_bfloat16_t_gs_64_b_4"), "affine_qmv_T_gs_N_b_N");
        assert_eq!(family("rope_single_float16"), "rope_single_T");
        assert_eq!(family("badd_f32_strided"), "badd_T_strided");
        assert_eq!(family("cast_u8_bf16"), "cast_T_T");
        assert_eq!(family("kernel_mul_mv_q4_0_f32_r1_2"), "kernel_mul_mv_qN_N_T_rN_N");
        assert_eq!(family("pointwise_intensity"), "pointwise_intensity");
    }
}
