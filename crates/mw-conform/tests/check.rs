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

/// `kernel void k(constant Pair &p, uint i)` where `Pair` holds two pointers: the second gets the first's
/// numbers plus 1.
fn through_pointers() -> mw_air::Module {
    let text = format!(
        "{LAYOUT}define void @k(ptr addrspace(2) %p, i32 %i) {{\n\
         %x = load ptr addrspace(1), ptr addrspace(2) %p, align 8\n\
         %second = getelementptr ptr addrspace(1), ptr addrspace(2) %p, i64 1\n\
         %y = load ptr addrspace(1), ptr addrspace(2) %second, align 8\n\
         %from = getelementptr float, ptr addrspace(1) %x, i32 %i\n%to = getelementptr float, ptr addrspace(1) %y, i32 %i\n\
         %v = load float, ptr addrspace(1) %from, align 4\n%w = fadd float %v, 1.0\n\
         store float %w, ptr addrspace(1) %to, align 4\nret void\n}}\n\
         !air.kernel = !{{!0}}\n!air.compile_options = !{{!7}}\n!air.version = !{{!8}}\n!air.language_version = !{{!9}}\n\
         !0 = !{{ptr @k, !1, !2}}\n!1 = !{{}}\n!2 = !{{!3, !4}}\n\
         !3 = !{{i32 0, !\"air.indirect_buffer\", !\"air.buffer_size\", i32 16, !\"air.location_index\", i32 0, i32 1, \
         !\"air.read\", !\"air.address_space\", i32 2, !\"air.struct_type_info\", !1, !\"air.arg_type_size\", i32 16, \
         !\"air.arg_type_align_size\", i32 8, !\"air.arg_type_name\", !\"Pair\", !\"air.arg_name\", !\"p\"}}\n\
         !4 = !{{i32 1, !\"air.thread_position_in_grid\", !\"air.arg_type_name\", !\"uint\", !\"air.arg_name\", !\"i\"}}\n\
         !7 = !{{!\"air.compile.denorms_disable\"}}\n!8 = !{{i32 2, i32 6, i32 0}}\n!9 = !{{!\"Metal\", i32 3, i32 1, i32 0}}\n",
    );
    mw_air::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn argument_buffers_point_to_buffers_that_are_compared() {
    for rules in [GUESS, "[[rule]]\nkernel = 'k'\nargs = { p = \"pointers(2) range(1, 2) of float\" }\n"] {
        let checker = Checker::new(Rules::parse(rules).unwrap(), 0).unwrap();
        let outcome = checker.check("k", "", &through_pointers());
        assert_eq!(outcome.class, Class::Ok, "{}", outcome.detail);
        assert!(outcome.changed && outcome.cases > 0);
    }
    // The second pointer is not there: its place is behind the argument buffer.
    let rules = "[[rule]]\nkernel = 'k'\nargs = { p = \"pointers(1) normal of float\" }\n";
    let checker = Checker::new(Rules::parse(rules).unwrap(), 0).unwrap();
    assert_eq!(checker.check("k", "", &through_pointers()).class, Class::NoLaunch);
}

#[test]
fn rules_are_those_of_the_library() {
    let files = [
        ("torch", "library = 'torch'\n[[rule]]\nkernel = 'k'\nnote = 'of torch'\n"),
        ("own", "library = 'own'\nalso = 'all'\n[[rule]]\nkernel = 'k'\nnote = 'of its own'\n"),
        ("all", "[[rule]]\nkernel = '[kl]'\nnote = 'of all'\n"),
    ];
    let note = |library: &str, kernel: &str| {
        let rules = Rules::choose(&files, Path::new(library)).unwrap();
        rules.note(kernel).unwrap().to_owned()
    };
    assert_eq!(note("lib/libtorch_cpu.dylib", "k"), "of torch");
    assert_eq!(note("own.metallib", "k"), "of its own");
    assert_eq!(note("own.metallib", "l"), "of all");
    assert_eq!(note("mlx.metallib", "k"), "of all");
}

/// A file's variables and members, by name.
#[test]
fn a_file_says_what_members_are() {
    let rules = "let = ['A = 3', 'B = 2 * A']\n[members]\nn = 'B'\n[[rule]]\nkernel = 'k'\nlet = ['A = 5']\n\
                 threads = '[64, 1, 1]'\n";
    let outcome = check_with(rules, BOUNDED);
    assert!(outcome.cases > 0 && outcome.class == Class::Ok, "{}: {}", outcome.class.name(), outcome.detail);
    let rules = "let = ['A = 0']\n[members]\nn = 'A'\n[[rule]]\nkernel = 'k'\nthreads = '[64, 1, 1]'\n";
    assert_eq!(check_with(rules, BOUNDED).class, Class::LowCoverage);
}

#[test]
fn what_a_rule_explains_is_said() {
    let rule = "[[rule]]\nkernel = '^k$'\nargs = { n = \"0\" }\nnote = 'it never does'\n";
    let outcome = check_with(rule, BOUNDED);
    assert_eq!(outcome.class, Class::LowCoverage);
    assert!(outcome.detail.ends_with("; it never does"), "{}", outcome.detail);
}

#[test]
fn emulated_code_gives_the_same_bits() {
    let emulator = std::env::var("MW_QEMU").unwrap_or_else(|_| "qemu-aarch64".into());
    let rule = "[[rule]]\nkernel = '^k$'\nthreads = \"[40, 1, 1]\"\nthreadgroup = \"[32, 1, 1]\"\n";
    let checker = Checker::new(Rules::parse(rule).unwrap(), 0).unwrap();
    let outcome = checker.emulating(&emulator).check("k", "", &kernel(&strided(3)));
    assert_eq!(outcome.class, Class::Ok, "{}", outcome.detail);
    // Without an emulator nothing runs, and that is an error.
    let checker = Checker::new(Rules::parse(rule).unwrap(), 0).unwrap();
    let outcome = checker.emulating("no-such-program").check("k", "", &kernel(&strided(3)));
    assert!(outcome.class.fails() && outcome.detail.contains("no-such-program"), "{}", outcome.detail);
}

/// A selection moves a denormal, an equality takes it for zero: on the processor too.
#[test]
fn denormals_are_what_the_rules_say() {
    let body = "%at = getelementptr float, ptr addrspace(1) %x, i32 %i\n%v = load float, ptr addrspace(1) %at, align 4\n\
        %at2 = getelementptr i32, ptr addrspace(1) %x, i32 %i\n%bits = load i32, ptr addrspace(1) %at2, align 4\n\
        %again = bitcast i32 %bits to float\n%nonzero = fcmp une float %again, 0.0\n\
        %greater = fcmp ogt float %v, -1.0\n%most = select i1 %greater, float %v, float -1.0\n\
        %result = select i1 %nonzero, float 7.0, float %most\n\
        %to = getelementptr float, ptr addrspace(1) %y, i32 %i\nstore float %result, ptr addrspace(1) %to, align 4\nret void";
    let rule = "[[rule]]\nkernel = '^k$'\nthreads = \"[64, 1, 1]\"\nthreadgroup = \"[64, 1, 1]\"\n\
        args = { x = \"fill(1e-40)\" }\n";
    let outcome = check_with(rule, body);
    assert_eq!(outcome.class, Class::Ok, "{}", outcome.detail);
}
