//! Name families: kernels whose names differ only in types and numbers.

/// Types as kernel names spell them, longer ones first where one begins another.
const TYPES: [&str; 18] = [
    "complex64",
    "complex32_t",
    "bfloat16_t",
    "bfloat16",
    "float16_t",
    "float16",
    "float32",
    "float2",
    "float",
    "bool_",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "int16",
    "int32",
    "int64",
    "int8",
];

/// The name with every type replaced by `T` and every number by `N`. Two names of one family come from the
/// same template.
pub fn name_family(name: &str) -> String {
    let mut family = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = TYPES.iter().find_map(|ty| rest.strip_prefix(ty)) {
            family.push('T');
            rest = after;
        } else if first.is_ascii_digit() {
            family.push('N');
            rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        } else {
            family.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    family
}

#[cfg(test)]
mod tests {
    use super::name_family;

    #[test]
    fn types_and_numbers_are_left_out() {
        assert_eq!(name_family("vvn_Addfloat16"), name_family("vvn_Addint8"));
        assert_eq!(name_family("v_copyfloat32bool_"), "v_copyTT");
        assert_eq!(
            name_family("affine_qmv_fast_bfloat16_t_gs_64_b_4_batch_0"),
            name_family("affine_qmv_fast_float_gs_128_b_8_batch_1")
        );
        assert_ne!(name_family("v_Exp"), name_family("vn_Exp"));
    }
}
