//! Small kernels through the whole check: buffers that grow, launches that cannot be in bounds, coverage.

use std::path::Path;

use mw_conform::check::Checker;
use mw_conform::outcome::{Class, Outcome};
use mw_conform::plan::Rules;

const LAYOUT: &str = r#"target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64_v26-apple-macosx14.0.0"
"#;

/// `kernel void k(device const float *x, device float *y, constant uint &n, uint i [[thread_position_in_grid]])`.
fn kernel(body: &str) -> mw_air::Module {
    let buffer = |index: u32, access: &str, space: u32, ty: &str, name: &str, size: &str| {
        format!(
            "!{{i32 {index}, !\"air.buffer\", {size}!\"air.location_index\", i32 {index}, i32 1, !\"air.{access}\", \
             !\"air.address_space\", i32 {space}, !\"air.arg_type_size\", i32 4, !\"air.arg_type_align_size\", i32 4, \
             !\"air.arg_type_name\", !\"{ty}\", !\"air.arg_name\", !\"{name}\"}}"
        )
    };
    let text = format!(
        "{LAYOUT}define void @k(ptr addrspace(1) %x, ptr addrspace(1) %y, ptr addrspace(2) %n, i32 %i) {{\n{body}\n}}\n\
         !air.kernel = !{{!0}}\n!air.compile_options = !{{!7}}\n!air.version = !{{!8}}\n!air.language_version = !{{!9}}\n\
         !0 = !{{ptr @k, !1, !2}}\n!1 = !{{}}\n!2 = !{{!3, !4, !5, !6}}\n!3 = {}\n!4 = {}\n!5 = {}\n\
         !6 = !{{i32 3, !\"air.thread_position_in_grid\", !\"air.arg_type_name\", !\"uint\", !\"air.arg_name\", !\"i\"}}\n\
         !7 = !{{!\"air.compile.denorms_disable\"}}\n!8 = !{{i32 2, i32 6, i32 0}}\n!9 = !{{!\"Metal\", i32 3, i32 1, i32 0}}\n",
        buffer(0, "read", 1, "float", "x", ""),
        buffer(1, "read_write", 1, "float", "y", ""),
        buffer(2, "read", 2, "uint", "n", "!\"air.buffer_size\", i32 4, "),
    );
    mw_air::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn check_with(rules: &str, body: &str) -> Outcome {
    let checker = Checker::new(Rules::parse(rules).unwrap(), 0).unwrap();
    checker.check("k", "", &kernel(body))
}

const GUESS: &str = "rule = []";

/// y[i * stride] = x[i * stride] + 1
fn strided(stride: i64) -> String {
    format!(
        "%j = sext i32 %i to i64\n%at = mul i64 %j, {stride}\n\
         %from = getelementptr float, ptr addrspace(1) %x, i64 %at\n\
         %to = getelementptr float, ptr addrspace(1) %y, i64 %at\n\
         %v = load float, ptr addrspace(1) %from, align 4\n%w = fadd float %v, 1.0\n\
         store float %w, ptr addrspace(1) %to, align 4\nret void"
    )
}

#[test]
fn buffers_grow_to_what_is_touched() {
    let outcome = check_with(GUESS, &strided(1000));
    assert_eq!(outcome.class, Class::Ok, "{}", outcome.detail);
    assert!(outcome.changed && outcome.cases >= 2 && outcome.blocks == 1);
}

#[test]
fn accesses_before_a_buffer_are_no_launch() {
    let outcome = check_with(GUESS, &strided(-3));
    assert_eq!(outcome.class, Class::NoLaunch, "{}", outcome.detail);
    assert!(outcome.detail.contains("before argument 0 (`x`)"), "{}", outcome.detail);
}

#[test]
fn accesses_far_away_are_no_launch() {
    let outcome = check_with(GUESS, &strided(1 << 40));
    assert_eq!(outcome.class, Class::NoLaunch, "{}", outcome.detail);
}

/// Only threads below n do anything; a rule decides n.
const BOUNDED: &str = "%limit = load i32, ptr addrspace(2) %n, align 4\n%in = icmp ult i32 %i, %limit\n\
    br i1 %in, label %work, label %end\n\
    work:\n%at = getelementptr i32, ptr addrspace(1) %y, i32 %i\nstore i32 7, ptr addrspace(1) %at, align 4\n\
    br label %end\nend:\nret void";

#[test]
fn rules_decide_what_is_covered() {
    let rule = |n: u32| {
        format!(
            "[[rule]]\nkernel = '^k$'\nlet = [\"n = {n}\"]\nthreads = \"[40, 1, 1]\"\nthreadgroup = \"[32, 1, 1]\"\n\
             args = {{ n = \"n\" }}\n"
        )
    };
    let outcome = check_with(&rule(37), BOUNDED);
    assert_eq!(outcome.class, Class::Ok, "{}", outcome.detail);
    assert_eq!((outcome.executed, outcome.blocks), (3, 3));
    let outcome = check_with(&rule(0), BOUNDED);
    assert_eq!(outcome.class, Class::LowCoverage);
    assert_eq!(outcome.missed, ["k:1"]);
    assert!(outcome.detail.contains("no output changed"), "{}", outcome.detail);
}

#[test]
fn rules_that_do_not_fit_say_so() {
    let outcome = check_with("[[rule]]\nkernel = 'k'\nargs = { n = \"m + 1\" }\n", BOUNDED);
    assert_eq!(outcome.class, Class::NoLaunch);
    assert!(outcome.detail.contains("argument `n`: there is no variable `m`"), "{}", outcome.detail);
    let outcome = check_with("[[rule]]\nkernel = 'k'\nthreadgroup = \"[1025, 1, 1]\"\n", BOUNDED);
    assert!(outcome.detail.contains("of which the kernel allows 1024"), "{}", outcome.detail);
    assert!(Rules::parse("[[rule]]\nkernel = 'k'\nthread = \"1\"\n").is_err(), "unknown keys are refused");
    for library in ["mlx/lib/mlx.metallib", "torch/lib/libtorch_cpu.dylib"] {
        assert!(Rules::built_in(Path::new(library)).is_ok(), "{library}");
    }
}

#[test]
fn endless_kernels_are_stopped() {
    let outcome = check_with(GUESS, "br label %again\nagain:\nbr label %again");
    assert_eq!(outcome.class, Class::Watchdog, "{}", outcome.detail);
}

#[test]
fn missing_kernels_are_named() {
    let checker = Checker::new(Rules::default(), 0).unwrap();
    let outcome = checker.check("other", "", &kernel("ret void"));
    assert_eq!(outcome.class, Class::Unreadable);
    assert!(outcome.detail.contains("`other`"));
}
