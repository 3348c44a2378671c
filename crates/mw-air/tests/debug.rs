//! Debug information: printed as LLVM accepts it, read back, and without meaning.

use mw_air::{Module, PrintOptions, parse, print, structural_hash, verify};

mod support;

/// As LLVM writes it: a lexical block, an inlined call, a loop that names positions, what we do not keep.
const TEXT: &str = r#"
target triple = "air64-apple-macosx14.0.0"

define void @k(ptr addrspace(1) %0) !dbg !7 {
  %2 = load float, ptr addrspace(1) %0, align 4, !dbg !11
  %3 = call float @f(float %2), !dbg !12
  store float %3, ptr addrspace(1) %0, align 4
  br label %4, !dbg !11

4:
  br label %4, !dbg !14, !llvm.loop !15
}

define internal float @f(float %0) !dbg !10 {
  %2 = fadd float %0, %0, !dbg !13
  ret float %2, !dbg !13
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3, !4}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "clang | x", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, enums: !2, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "k.metal", directory: "/src", checksumkind: CSK_MD5, checksum: "595f44fec1e92a71d3e9e77456ba80d1")
!2 = !{}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 7, !"Dwarf Version", i32 4}
!7 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 3, type: !8, scopeLine: 3, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !2)
!8 = !DISubroutineType(types: !9)
!9 = !{null}
!10 = distinct !DISubprogram(name: "f", linkageName: "_Z1ff", scope: !1, file: !1, line: 1, type: !8, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!11 = !DILocation(line: 4, column: 10, scope: !16)
!12 = !DILocation(line: 5, column: 3, scope: !7)
!13 = !DILocation(line: 1, column: 30, scope: !10)
!14 = !DILocation(line: 9, scope: !10, inlinedAt: !12)
!15 = distinct !{!15, !11, !12}
!16 = distinct !DILexicalBlock(scope: !7, file: !1, line: 3, column: 40)
"#;

fn module() -> Module {
    parse(TEXT).expect("parses")
}

#[test]
fn positions_are_read_with_their_functions_and_files() {
    let module = module();
    verify(&module).expect("verifies");
    let debug = &module.debug;
    assert_eq!(debug.files[0].name.as_ref(), "k.metal");
    let kernel = &module.functions[0];
    assert_eq!(debug.subprogram(kernel.subprogram.expect("has one")).expect("exists").line, 3);
    let block = &kernel.blocks[0];
    let at = |index: usize| kernel.inst(block.insts[index]).location.and_then(|id| debug.describe(id));
    assert_eq!(at(0).as_deref(), Some("k.metal:4:10"));
    assert_eq!(at(1).as_deref(), Some("k.metal:5:3"));
    assert_eq!(at(2), None);
    let inlined = debug.location(kernel.blocks[1].location.expect("located")).expect("exists");
    assert_eq!(&*debug.subprogram(inlined.scope).expect("exists").name, "f");
    assert_eq!(debug.location(inlined.inlined_at.expect("inlined")).expect("exists").line, 5);
}

#[test]
fn the_text_reads_back_the_same_and_llvm_accepts_it() {
    let printed = module().to_string();
    assert!(printed.contains("!DILocation(line: 4, column: 10, "), "{printed}");
    assert!(printed.contains("linkageName: \"_Z1ff\""), "{printed}");
    let again = parse(&printed).expect("parses");
    assert_eq!(again.to_string(), printed);
    let llvm = support::through_llvm(&printed).expect("LLVM accepts it");
    // LLVM drops debug information that it finds wrong.
    assert!(llvm.contains("!DILocation(line: 9, "), "{llvm}");
    let mut back = parse(&llvm).expect("parses");
    back.source_filename.clear();
    assert_eq!(back.to_string(), printed);
}

#[test]
fn it_has_no_meaning() {
    let located = module();
    let mut bare = located.clone();
    bare.strip_debug();
    assert_eq!(structural_hash(&located), structural_hash(&bare));
    let silent = print(&located, &PrintOptions { debug: false, ..PrintOptions::default() });
    assert_eq!(silent, bare.to_string());
    assert!(!silent.contains("!dbg"));
}

#[test]
fn a_function_with_an_unlocated_call_prints_no_positions() {
    let mut module = module();
    let call = module.functions[0].blocks[0].insts[1];
    module.functions[0].inst_mut(call).location = None;
    let printed = module.to_string();
    assert!(printed.contains("define internal float @f(float %0) !dbg"), "{printed}");
    assert!(!printed.contains("line: 4"), "{printed}");
    support::through_llvm(&printed).expect("LLVM accepts it");
}

#[test]
fn what_is_missing_is_said() {
    for (from, to, message) in [
        ("!11 = !DILocation(line: 4, column: 10, scope: !16)", "!11 = !{}", "`!11` is no `!DILocation`"),
        ("!12 = !DILocation(line: 5, column: 3, scope: !7)\n", "", "`!12` is not defined"),
        ("scope: !16)", "scope: !1)", "`!11` stands in no function"),
        ("!dbg !7 {", "!dbg !1 {", "`!1` is no `!DISubprogram`"),
        ("line: 4,", "line: @k,", "expected a value of debug metadata, found `@k`"),
    ] {
        let text = TEXT.replacen(from, to, 1);
        assert_ne!(text, TEXT);
        let error = parse(&text).expect_err("wrong").to_string();
        assert!(error.contains(message), "{error}");
    }
    let mut module = module();
    module.debug.locations.truncate(1);
    assert!(verify(&module).is_err());
}
