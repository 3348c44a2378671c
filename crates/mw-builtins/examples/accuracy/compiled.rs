//! Library functions as machine code.

use std::ffi::CString;
use std::fmt::Write;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::functions::Instance;
use crate::support;

/// A loop over elements: inputs, second inputs (unused by functions of one operand), outputs, count. All
/// elements are stored in the format of the function.
pub(crate) type Map = unsafe extern "C" fn(*const u8, *const u8, *mut u8, usize);

/// Compiled loops, one for each function.
pub(crate) struct Library {
    handle: *mut libc::c_void,
}

impl Library {
    pub(crate) fn build(functions: &[Instance]) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("mw-builtins-accuracy-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let (source, object) = (folder.join("builtins.ll"), folder.join("builtins.so"));
        std::fs::write(&source, assembly(functions)?)?;
        let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
        let status = Command::new(&clang)
            .args(["-O2", "-march=native", "-mprefer-vector-width=512", "-ffp-contract=off"])
            .args(["-Wno-override-module", "-shared", "-fPIC", "-o"])
            .arg(&object)
            .arg(&source)
            .status()
            .with_context(|| format!("running {clang}"))?;
        ensure!(status.success(), "{clang} failed on {}", source.display());
        let path = CString::new(object.to_str().context("path")?)?;
        // SAFETY: the file was just made and runs nothing when it is loaded.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        if handle.is_null() {
            bail!("cannot load {}", object.display());
        }
        std::fs::remove_dir_all(&folder)?;
        Ok(Self { handle })
    }

    /// The loop over function `index`.
    pub(crate) fn map(&self, index: usize) -> Result<Map> {
        let name = CString::new(format!("map_{index}"))?;
        // SAFETY: the handle is open as long as `self` lives, which is until the program ends.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        ensure!(!address.is_null(), "no loop {index}");
        // SAFETY: `assembly` has given every `map_*` this type.
        Ok(unsafe { std::mem::transmute::<*mut libc::c_void, Map>(address) })
    }
}

/// The linked functions and a loop around each, all with f32 denormals flushed.
fn assembly(functions: &[Instance]) -> Result<String> {
    let lines: Vec<String> = functions
        .iter()
        .map(|function| {
            let ty = function.format.llvm();
            format!("{} = {ty} ({})", function.air_name(), vec![ty; function.arity()].join(", "))
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut module = support::module(&lines, true);
    mw_builtins::link(&mut module)?;
    let flush =
        mw_air::Attribute::String("denormal-fp-math-f32".into(), "preserve-sign,preserve-sign".into());
    for function in module.functions.iter_mut().filter(|function| !function.is_declaration()) {
        function.attrs.0.push(flush.clone());
    }
    let mut text = mw_air::print(&module, &mw_air::PrintOptions::default());
    for (index, function) in functions.iter().enumerate() {
        let (ty, bytes) = (function.format.llvm(), if function.format.suffix() == "f32" { 4 } else { 2 });
        let second = if function.arity() == 2 { format!(", {ty} %b") } else { String::new() };
        write!(
            text,
            "
define void @map_{index}(ptr noalias %pa, ptr noalias %pb, ptr noalias %pc, i64 %n)
    \"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\" {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %o = mul i64 %i, {bytes}
  %qa = getelementptr i8, ptr %pa, i64 %o
  %qb = getelementptr i8, ptr %pb, i64 %o
  %qc = getelementptr i8, ptr %pc, i64 %o
  %a = load {ty}, ptr %qa
  %b = load {ty}, ptr %qb
  %c = call {ty} @\"{name}\"({ty} %a{second})
  store {ty} %c, ptr %qc
  %next = add i64 %i, 1
  %go = icmp ult i64 %next, %n
  br i1 %go, label %loop, label %exit
exit:
  ret void
}}
",
            name = function.air_name(),
        )?;
    }
    Ok(text)
}
