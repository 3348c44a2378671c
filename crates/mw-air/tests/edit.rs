//! Changes to whole modules keep them valid and do what they say.

use mw_air::edit::{ImportError, Importer, remove_unused, strip_promises};
use mw_air::{Module, parse, structural_hash, verify};

const EVERYTHING: &str = include_str!("text/everything.ll");

fn read(text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    check(&module);
    module
}

fn check(module: &Module) {
    verify(module).unwrap_or_else(|errors| panic!("{}\n{module}", errors[0]));
}

#[test]
fn promises_go_and_meaning_stays() {
    let mut module = read(EVERYTHING);
    strip_promises(&mut module);
    remove_unused(&mut module);
    check(&module);
    let text = module.to_string();
    for gone in
        ["!tbaa", "!llvm.loop", "alias.scope", "mustprogress", "noundef", "dereferenceable", "scope\""]
    {
        assert!(!text.contains(gone), "{gone} in\n{text}");
    }
    for kept in ["convergent", "byval", "zeroext", "\"max-work-group-size\"=\"128\"", "air.kernel"] {
        assert!(text.contains(kept), "{kept} not in\n{text}");
    }
}

#[test]
fn what_nothing_reaches_is_removed() {
    let mut module = read(
        "@ctors = appending global [1 x ptr] [ptr @init]\n\
         @used = internal addrspace(2) global i8 0\n\
         @dead = internal addrspace(2) constant ptr @dead_too\n\
         @table = internal constant [1 x ptr] [ptr @by_table]\n\
         declare float @air.exp.f32(float)\n\
         declare float @air.log.f32(float)\n\
         define internal void @dead_too() {\n  %x = call float @air.log.f32(float 1.0)\n  ret void\n}\n\
         define internal void @init() {\n  store i8 1, ptr addrspace(2) @used\n  ret void\n}\n\
         define internal void @by_table() {\n  ret void\n}\n\
         define internal void @loop_of_calls() {\n  call void @loop_of_calls()\n  ret void\n}\n\
         define void @kernel() {\n  %p = load ptr, ptr @table\n  call void %p()\n  \
         %x = call float @air.exp.f32(float 1.0), !kept !1\n  ret void\n}\n\
         !air.kernel = !{!0}\n!0 = !{ptr @kernel}\n!1 = !{!\"kept\"}\n!2 = !{!\"dropped\", ptr @loop_of_calls}\n",
    );
    let before = module.to_string();
    remove_unused(&mut module);
    check(&module);
    let names: Vec<&str> = module.functions.iter().map(|function| &*function.name).collect();
    assert_eq!(names, ["air.exp.f32", "init", "by_table", "kernel"]);
    let names: Vec<&str> = module.globals.iter().map(|global| &*global.name).collect();
    assert_eq!(names, ["ctors", "used", "table"]);
    assert_eq!(module.metadata.nodes.len(), 2);
    // What stays means the same.
    let text = module.to_string();
    assert!(before.contains("call void %1()") && text.contains("call void %1()"), "{text}");
    assert!(text.contains("store i8 1, ptr addrspace(2) @used"), "{text}");
    let again = module.clone();
    remove_unused(&mut module);
    assert_eq!(again, module);
}

#[test]
fn compaction_keeps_the_text() {
    let mut module = read(EVERYTHING);
    let before = module.to_string();
    for function in &mut module.functions {
        function.compact();
    }
    check(&module);
    assert_eq!(module.to_string(), before);
}

#[test]
fn functions_are_imported_with_what_they_use() {
    let source = read(
        "@data = internal constant [2 x ptr] [ptr @other, ptr @data]\n\
         @shared = global i32 7\n\
         declare float @air.exp.f32(float)\n\
         define internal float @helper(float %x) {\n  %y = call float @air.exp.f32(float %x)\n  ret float %y\n}\n\
         define internal void @other() {\n  ret void\n}\n\
         define float @entry(float %x) {\n  %p = load ptr, ptr @data\n  %i = load i32, ptr @shared\n  \
         %y = call float @helper(float %x)\n  ret float %y\n}\n",
    );
    let mut target = read(
        "@shared = external global i32\n\
         declare float @entry(float)\n\
         define internal float @helper(float %x) {\n  ret float 1.0\n}\n\
         define float @kernel(float %x) {\n  %y = call float @entry(float %x)\n  \
         %z = call float @helper(float %y)\n  ret float %z\n}\n",
    );
    let entry = source.function_named("entry").expect("there");
    let mut importer = Importer::new(&source);
    let imported = importer.function(&mut target, entry).expect("imports");
    assert_eq!(Some(imported), target.function_named("entry"));
    assert_eq!(importer.function(&mut target, entry), Ok(imported));
    check(&target);
    let text = target.to_string();
    assert!(text.contains("@shared = global i32 7"), "{text}");
    assert!(text.contains("call float @helper.0(float %0)"), "{text}");
    assert!(text.contains("call float @helper(float %2)"), "{text}");
    assert!(text.contains("@data = internal constant [2 x ptr] [ptr @other, ptr @data]"), "{text}");
    assert!(text.contains("declare float @air.exp.f32(float)"), "{text}");
}

#[test]
fn conflicting_symbols_are_refused() {
    let source = read("define void @f() {\n  ret void\n}\n");
    let mut target = read("declare i32 @f()\n");
    let f = source.function_named("f").expect("there");
    let error = Importer::new(&source).function(&mut target, f).expect_err("types differ");
    assert_eq!(error, ImportError::Conflict { name: "f".into() });
}

#[test]
fn the_hash_sees_code_and_nothing_else() {
    let module = read(EVERYTHING);
    let hash = structural_hash(&module);
    let mut renamed = module.clone();
    renamed.source_filename = "another".into();
    assert_eq!(structural_hash(&renamed), hash);
    let mut compacted = module.clone();
    remove_unused(&mut compacted);
    let mut again = read(&module.to_string());
    remove_unused(&mut again);
    assert_eq!(structural_hash(&compacted), structural_hash(&again));
    let changed = read(&EVERYTHING.replace("samesign ult i32 %4, 7", "samesign ult i32 %4, 8"));
    assert_ne!(structural_hash(&changed), hash);
    // A value that must never change: caches on disk are named by it.
    let fixed = structural_hash(&read("define i32 @f() {\n  ret i32 7\n}\n"));
    assert_eq!(format!("{fixed:032x}"), "7565975c441ed476bb417340a70bb407");
}
