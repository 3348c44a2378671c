//! The functions that stay calls: each engine implements them itself.

/// LLVM intrinsics, without the type suffix.
const LLVM: &[&str] = &[
    "abs",
    "assume",
    "bitreverse",
    "bswap",
    "ceil",
    "copysign",
    "ctlz",
    "ctpop",
    "cttz",
    "expect",
    "fabs",
    "floor",
    "fma",
    "fmuladd",
    "fptosi.sat",
    "fptoui.sat",
    "fshl",
    "fshr",
    "lifetime.end",
    "lifetime.start",
    "memcpy",
    "memmove",
    "memset",
    "roundeven",
    "sadd.sat",
    "smax",
    "smin",
    "sqrt",
    "ssub.sat",
    "trunc",
    "uadd.sat",
    "umax",
    "umin",
    "usub.sat",
];

/// AIR functions that talk to other threads, to memory or to the machine: whole names, or beginnings that
/// end in a dot or an underscore.
const AIR: &[&str] = &[
    "air.atomic.",
    "air.get_function_pointer_visible_function_table",
    "air.get_simdgroup_size.",
    "air.get_thread_index_in_simdgroup.",
    "air.is_function_constant_defined",
    "air.is_uniform.",
    "air.load.device_coherent.",
    "air.load.system_coherent.",
    "air.normalize_function_constant_predicate.",
    "air.quad_",
    "air.simd_",
    "air.simdgroup.barrier",
    "air.simdgroup_async_copy_1d.",
    "air.simdgroup_async_copy_2d.",
    "air.simdgroup_matrix_8x8_",
    "air.store.device_coherent.",
    "air.store.system_coherent.",
    "air.wait_simdgroup_events",
    "air.wg.barrier",
];

/// Whether the engines implement `name`.
pub(crate) fn is_primitive(name: &str) -> bool {
    if let Some(rest) = name.strip_prefix("llvm.") {
        // A suffix follows, or nothing.
        return LLVM.iter().any(|base| {
            rest.strip_prefix(base).is_some_and(|suffix| suffix.is_empty() || suffix.starts_with('.'))
        });
    }
    AIR.iter().any(|base| {
        let open = base.ends_with(['.', '_']);
        name == *base || (open && name.len() > base.len() && name.starts_with(base))
    })
}
