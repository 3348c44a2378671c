//! Our bitcode reader against LLVM's on small modules, and the errors for what AIR does not hold.
//!
//! The modules are text in `tests/data/`, assembled by `llvm-as-22` when the test runs.

mod support;

use mw_metallib::{FunctionKind, Library, ReadError, read_module};

#[test]
fn small_modules_read_as_llvm_reads_them() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Metadata that we drop differs by intent: see `of_debug_information_lines_are_kept`.
        if path.ends_with("debug_info.ll") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let bitcode = support::assemble(&text).unwrap();
        support::cross_check(&bitcode)
            .unwrap_or_else(|difference| panic!("{}: {difference}", path.display()));
        count += 1;
    }
    assert!(count >= 2);
}

#[test]
fn of_debug_information_lines_are_kept() {
    let text = include_str!("data/debug_info.ll");
    let module = read_module(&support::assemble(text).unwrap()).unwrap();
    let function = module.function(module.function_named("k").unwrap());
    assert_eq!(function.blocks[0].insts.len(), 1);
    assert!(function.metadata.is_empty());
    let add = function.inst(function.blocks[0].insts[0]).location.unwrap();
    assert_eq!(module.debug.describe(add).as_deref(), Some("k.metal:2:3"));
    assert_eq!(function.blocks[0].location, Some(add));
    let subprogram = module.debug.subprogram(function.subprogram.unwrap()).unwrap();
    assert_eq!((&*subprogram.name, subprogram.line), ("k", 1));
    // It was not written by us: it is not printed.
    assert!(!module.to_string().contains("!dbg"));
    assert!(module.metadata.named("llvm.dbg.cu").is_empty());
    assert_eq!(module.metadata.named("llvm.module.flags").len(), 2);
}

#[test]
fn positions_lead_through_blocks_and_inlined_calls() {
    let text = include_str!("data/debug_info.ll")
        .replace("!10 = !DILocation(line: 2, column: 3, scope: !5)", "
            !10 = !DILocation(line: 2, column: 3, scope: !11, inlinedAt: !12)
            !11 = distinct !DILexicalBlock(scope: !13, file: !1, line: 9, column: 1)
            !12 = distinct !DILocation(line: 7, column: 5, scope: !5)
            !13 = distinct !DISubprogram(name: \"f\", linkageName: \"_Z1f\", scope: !1, file: !1, line: 9, type: !4, unit: !0)")
        .lines()
        .filter(|line| !line.contains("#dbg_value"))
        .collect::<Vec<_>>()
        .join("\n");
    let module = read_module(&support::assemble(&text).unwrap()).unwrap();
    let function = &module.functions[0];
    let location = module.debug.location(function.blocks[0].location.unwrap()).unwrap();
    assert_eq!(&*module.debug.subprogram(location.scope).unwrap().linkage_name, "_Z1f");
    let outer = location.inlined_at.unwrap();
    assert_eq!(module.debug.describe(outer).as_deref(), Some("k.metal:7:5"));
    mw_air::verify(&module).unwrap();
}

#[test]
fn promises_without_a_place_are_dropped() {
    let text = "define void @f(float nofpclass(nan) %x, i32 range(i32 0, 8) %y) allocsize(1) nounwind {
          call void @llvm.assume(i1 true) [ \"align\"(ptr null, i64 16) ]
          ret void
        }
        declare void @llvm.assume(i1)";
    let module = read_module(&support::assemble(text).unwrap()).unwrap();
    let function = &module.functions[0];
    assert!(function.param_attrs.iter().all(mw_air::Attributes::is_empty));
    assert_eq!(function.attrs.0, [mw_air::Attribute::Enum("nounwind".into())]);
}

#[test]
fn a_plain_module_is_a_library() {
    let bitcode = support::assemble(include_str!("data/constants.ll")).unwrap();
    let library = Library::from_bytes(bitcode).unwrap();
    assert_eq!(library.len(), 1);
    let kernel = library.function("kernel").unwrap();
    assert_eq!(kernel.kind(), FunctionKind::Kernel);
    assert_eq!((kernel.air_version(), kernel.language_version()), ((2, 8), (4, 0)));
    let module = kernel.read_module().unwrap();
    let reflection = mw_metallib::reflect(&module, "kernel").unwrap();
    assert_eq!(reflection.kernel.args.len(), 2);
    assert_eq!(&*reflection.kernel.args[0].name, "größe");
    // The threadgroup variable of the module is another function's.
    assert_eq!(reflection.threadgroup_bytes, 0);
    let error = mw_metallib::reflect(&module, "absent").unwrap_err();
    assert_eq!(error.to_string(), "the module has no kernel `absent`; it has `kernel`");
}

#[test]
fn threadgroup_memory_of_called_functions_counts() {
    let text = r#"
        @a = internal addrspace(3) global [3 x i8] undef
        @b = internal addrspace(3) global [2 x float] undef, align 16
        @c = internal addrspace(3) global float undef
        @unused = internal addrspace(3) global [100 x float] undef
        define void @k() {
          store i8 1, ptr addrspace(3) @a
          call void @helper()
          ret void
        }
        define internal void @helper() {
          store float 1.0, ptr addrspace(3) getelementptr ([2 x float], ptr addrspace(3) @b, i64 0, i64 1)
          store float 1.0, ptr addrspace(3) @c
          ret void
        }
        !air.kernel = !{!0}
        !air.version = !{!2}
        !air.language_version = !{!3}
        !0 = !{ptr @k, !1, !1}
        !1 = !{}
        !2 = !{i32 2, i32 6, i32 0}
        !3 = !{!"Metal", i32 3, i32 1, i32 0}
    "#;
    let module = read_module(&support::assemble(text).unwrap()).unwrap();
    let reflection = mw_metallib::reflect(&module, "k").unwrap();
    assert_eq!(reflection.threadgroup_globals.len(), 3);
    // 3 bytes, 8 bytes from 16 on, 4 bytes from 24 on.
    assert_eq!(reflection.threadgroup_bytes, 28);
}

/// What reading this function body says.
fn error_of(text: &str) -> ReadError {
    read_module(&support::assemble(text).unwrap()).unwrap_err()
}

#[test]
fn what_air_does_not_hold_is_named() {
    let cases = [
        ("define void @f(i128 %x) { ret void }", "an integer of more than 64 bits"),
        ("define void @f(<vscale x 4 x i32> %x) { ret void }", "a scalable vector"),
        ("define void @f(fp128 %x) { ret void }", "fp128"),
        ("module asm \"nop\"", "module-level assembly"),
        ("define void @f() { ret void }\n@a = alias void (), ptr @f", "an alias"),
        ("define void @f() { call void asm \"nop\", \"\"() ret void }", "inline assembly"),
        (
            "define void @f(ptr %p, i32 %x) { %r = atomicrmw uinc_wrap ptr %p, i32 %x seq_cst ret void }",
            "`atomicrmw`",
        ),
        (
            "declare void @g()\ndefine void @f() { call void @g() [ \"deopt\"(i32 1) ] ret void }",
            "operand bundle `deopt`",
        ),
        (
            "declare i32 @llvm.read_register.i32(metadata)\n\
             define void @f() { %r = call i32 @llvm.read_register.i32(metadata !0) ret void }\n\
             !0 = !{!\"r\"}",
            "a call of `llvm.read_register.i32` with a metadata operand",
        ),
    ];
    for (text, expected) in cases {
        let message = error_of(text).to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
    let invoke = "
        declare void @g()
        declare i32 @personality(...)
        define void @f() personality ptr @personality {
          invoke void @g() to label %a unwind label %b
        a:
          ret void
        b:
          %p = landingpad { ptr, i32 } cleanup
          ret void
        }";
    assert_eq!(
        error_of(invoke),
        ReadError::UnsupportedRecord { block: "FUNCTION_BLOCK", code: 13, note: ": invoke" }
    );
}

#[test]
fn padding_is_not_a_module() {
    let mut bitcode = support::assemble(include_str!("data/constants.ll")).unwrap();
    let module = read_module(&bitcode).unwrap();
    bitcode.resize(bitcode.len() + 64, 0);
    assert_eq!(read_module(&bitcode).unwrap(), module);
}

#[test]
fn other_bytes_are_refused() {
    assert!(matches!(read_module(b"MTLB"), Err(ReadError::NotBitcode { .. })));
    assert!(matches!(read_module(b""), Err(ReadError::NotBitcode { .. })));
    assert!(matches!(read_module(b"BC\xc0\xde"), Err(ReadError::Missing { what: "module" })));
    assert!(matches!(read_module(&[0xde, 0xc0, 0x17, 0x0b, 0, 0]), Err(ReadError::Missing { .. })));
}
