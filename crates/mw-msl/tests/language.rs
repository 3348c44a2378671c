//! `tests/language/*.metal`: correct Metal that must compile without a word; `static_assert`s in it check values.

use mw_msl::Compilation;
use mw_msl::hir::{Access, ArgumentKind, GlobalKind, Program};
use mw_msl::options::Options;
use mw_msl::preprocess::MemoryFiles;
use std::path::Path;

fn compile(name: &str, text: &str) -> Compilation {
    mw_msl::compile(&Options::default(), &MemoryFiles::single(name, text), name)
}

fn program(name: &str) -> Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language").join(name);
    let text = std::fs::read_to_string(&path).expect("the test's file can be read");
    let compilation = compile(name, &text);
    let found: Vec<String> = compilation
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let at = compilation.map.written(diagnostic.primary.span);
            let place = compilation.map.line_column(at.start);
            format!("{name}:{}:{}: {}: {}", place.line, place.column, diagnostic.code, diagnostic.message)
        })
        .collect();
    assert!(found.is_empty(), "{found:#?}");
    compilation.program.expect("no errors, so there is a program")
}

#[test]
fn constant_expressions_have_the_values_that_are_asserted() {
    assert_eq!(program("constants.metal").kernels.len(), 1);
}

#[test]
fn classes_closures_and_bindings_are_accepted() {
    let program = program("classes.metal");
    // Where a class was declared counts, not where its members are used.
    let fused: Vec<bool> = program
        .functions
        .iter()
        .filter(|function| function.name.starts_with("A<float>::f("))
        .map(|function| format!("{:?}", function.body).contains("contract: true"))
        .collect();
    assert_eq!(fused, [false]);
}

#[test]
fn a_false_assertion_is_reported() {
    let compilation = compile("k.metal", "static_assert(sizeof(metal::float3) == 12);");
    let codes: Vec<&str> = compilation.diagnostics.iter().map(|diagnostic| diagnostic.code.name).collect();
    assert_eq!(codes, ["static-assertion"]);
}

#[test]
fn kernels_are_named_and_bound() {
    let program = program("kernels.metal");
    let names: Vec<&str> = program.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(names, ["all", "tk_f32_4", "tk_f16_2", "tk_i32", "tk_bf16"]);
    let all = &program.kernels[0];
    assert_eq!(all.max_total_threads_per_threadgroup, Some(256));
    let kinds: Vec<String> = all
        .arguments
        .iter()
        .map(|argument| match &argument.kind {
            ArgumentKind::Buffer { index, access: Access::Read } => format!("read {index}"),
            ArgumentKind::Buffer { index, .. } => format!("write {index}"),
            ArgumentKind::ThreadgroupMemory { index } => format!("threadgroup {index}"),
            ArgumentKind::Builtin(name) => (*name).to_owned(),
            ArgumentKind::Unsupported(name) => format!("unsupported {name}"),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "write 0",
            "read 1",
            "read 2",
            "write 3",
            "write 4",
            "threadgroup 0",
            "read 5",
            "write 9",
            "write 6",
            "write 7",
            "write 8",
            "thread_position_in_grid",
            "thread_index_in_simdgroup",
            "threads_per_threadgroup",
        ]
    );
    let gate = all.arguments[7].gate.expect("the argument depends on a constant");
    assert!(matches!(program.global(gate).kind, GlobalKind::FunctionConstant { index: 1 }));
    let derived = program.globals.iter().filter(|global| matches!(global.kind, GlobalKind::Derived(_)));
    assert_eq!(derived.count(), 1);
}

#[test]
fn every_function_of_the_program_has_a_body_and_a_name_of_its_own() {
    let program = program("kernels.metal");
    let mut names = std::collections::BTreeSet::new();
    for function in &program.functions {
        assert!(function.body.is_some(), "{} has no body", function.name);
        assert!(names.insert(&function.air_name), "two functions are called {}", function.air_name);
    }
}

#[test]
fn one_mistake_gives_one_error() {
    let cases = [
        ("kernel void k(device float *a) { foo x; x.y = 1; a[0] = x.y + x.z; }", "unknown-name"),
        ("kernel void k(device float *a) { auto x = bar(a); a[0] = x; a[1] = x + 1; }", "unknown-name"),
        ("struct S { foo x; float y; }; kernel void k(device S *s) { s[0].y = s[0].x; }", "unknown-name"),
        (
            "template <typename T> T f(T x) { return x.y; } kernel void k(device float *a) { a[0] = f(1); a[1] = f(2); }",
            "no-member",
        ),
        (
            "kernel void k(device float *a, threadgroup float *t) { t = a; t[0] = 1; }",
            "address-space-mismatch",
        ),
        ("kernel void k(constant float *a) { a[0] = 1; }", "not-assignable"),
        ("kernel void k(device float *a) { int n = 4; float x[n]; x[0] = a[0]; }", "not-constant"),
        ("kernel void k(device float *a, uint n) { a[0] = n; }", "kernel-parameter"),
        (
            "kernel void k(device float *a, uint n [[thread_position_in_gird]]) { a[0] = n; }",
            "invalid-attribute",
        ),
        ("kernel void k(device float *a) { a[0] = metal::max(a[0], a); }", "no-matching-function"),
        (
            "template <int N> struct S { S<N + 1> s; }; kernel void k(device float *a) { S<0> s; a[0] = 1; }",
            "instantiation-too-deep",
        ),
    ];
    for (text, code) in cases {
        let compilation = compile("k.metal", text);
        let found: Vec<&str> =
            compilation.diagnostics.iter().map(|diagnostic| diagnostic.code.name).collect();
        assert_eq!(found, [code], "{text}");
    }
}
