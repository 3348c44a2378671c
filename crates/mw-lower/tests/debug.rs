//! Lines of the source in AIR: where instructions stand, what `-g` prints, and that nothing else changes.

use std::io::Write as _;
use std::process::{Command, Stdio};

use mw_air::{Inst, Module};
use mw_lower::{LowerOptions, lower, lower_located};
use mw_msl::options::Options;
use mw_msl::preprocess::MemoryFiles;

const SOURCE: &str = "#include <metal_stdlib>
using namespace metal;
#define TWICE(x) ((x) + (x))
template <typename T> T half_of(T x) {
  return x / T(2);
}
kernel void k(device float *out, uint i [[thread_position_in_grid]]) {
  float y = half_of(out[i]);
  if (y > 1)
    out[i] =
        TWICE(y);
}
";

fn lowered(debug_info: bool, is_located: bool) -> Module {
    let files = MemoryFiles::single("folder/k.metal", SOURCE);
    let compilation = mw_msl::compile(&Options::default(), &files, "folder/k.metal");
    let program = compilation.program.expect("compiles");
    let options = LowerOptions { debug_info, ..LowerOptions::default() };
    let module = if is_located {
        lower_located(&program, &options, &compilation.map)
    } else {
        lower(&program, &options)
    };
    let module = module.expect("lowers");
    mw_air::verify(&module).expect("verifies");
    module
}

/// `file:line:column` of each instruction that `which` holds for, in the function called `name`.
fn places(module: &Module, name: &str, which: impl Fn(&Inst) -> bool) -> Vec<String> {
    let function = module.functions.iter().find(|function| &*function.name == name).expect("exists");
    let all = function.blocks.iter().flat_map(|block| &block.insts);
    all.map(|id| function.inst(*id))
        .filter(|data| which(&data.inst))
        .map(|data| module.debug.describe(data.location.expect("located")).expect("known"))
        .collect()
}

#[test]
fn instructions_stand_where_the_user_wrote_them() {
    let module = lowered(false, true);
    let is_load = |inst: &Inst| matches!(inst, Inst::Load { .. });
    assert!(places(&module, "k", is_load).contains(&"folder/k.metal:8:21".to_owned()));
    let compares = places(&module, "k", |inst| matches!(inst, Inst::FCmp { .. }));
    assert_eq!(compares, ["folder/k.metal:9:7"]);
    // What a macro made stands at its use.
    let sums = places(&module, "k", |inst| matches!(inst, Inst::Binary { .. }));
    assert_eq!(sums, ["folder/k.metal:11:9"]);
    let helper = module.functions.iter().find(|function| function.name.contains("half_of")).expect("called");
    let quotients = places(&module, &helper.name, |inst| matches!(inst, Inst::Binary { .. }));
    assert_eq!(quotients, ["folder/k.metal:5:10"]);
    let subprogram = module.debug.subprogram(helper.subprogram.expect("known")).expect("exists");
    assert_eq!(&*subprogram.name, "half_of<float>(float)");
    assert_eq!(subprogram.line, 4);
    // Terminators too.
    let kernel = &module.functions[module.function_named("k").expect("exists").index()];
    let branch = kernel.blocks[0].location.expect("located");
    assert_eq!(module.debug.describe(branch).as_deref(), Some("folder/k.metal:9:3"));
    let end = module.debug.location(branch).expect("exists").end;
    assert_eq!(end, Some((11, 18)));
}

#[test]
fn without_the_flag_the_text_is_the_same() {
    assert_eq!(lowered(false, true).to_string(), lowered(false, false).to_string());
    // Nor can a module without sources be printed with lines.
    assert_eq!(lowered(true, false).to_string(), lowered(false, false).to_string());
}

#[test]
fn with_the_flag_llvm_accepts_the_lines() {
    let text = lowered(true, true).to_string();
    assert_eq!(mw_air::parse(&text).expect("parses").to_string(), text);
    let mut child = Command::new("llvm-as-22")
        .args(["-o", "/dev/null", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("llvm-as-22 starts");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("write");
    let output = child.wait_with_output().expect("ends");
    let complaints = String::from_utf8_lossy(&output.stderr);
    // It only warns when it drops debug information that is wrong.
    assert!(output.status.success() && complaints.is_empty(), "{complaints}\n{text}");
    assert!(text.contains("!DILocation(line: 11, column: 9, "), "{text}");
    assert!(text.contains("!\"Debug Info Version\", i32 3"), "{text}");
}

#[test]
fn reflection_is_the_same() {
    let info = |module: &Module| mw_air::schema::ModuleInfo::parse(module).expect("reflects");
    assert_eq!(info(&lowered(true, true)), info(&lowered(false, false)));
    let (with, without) = (lowered(true, true), lowered(false, true));
    let strip = |mut module: Module| {
        module.strip_debug();
        // The flags that announce the lines stay.
        module.metadata = mw_air::Metadata::default();
        for function in &mut module.functions {
            function.metadata.clear();
        }
        mw_air::print(&module, &mw_air::PrintOptions { metadata: false, ..Default::default() })
    };
    assert_eq!(strip(with), strip(without));
}
