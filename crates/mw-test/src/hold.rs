//! What must hold of every source, whatever it says.

use mw_air::Module;
use mw_air::schema::ModuleInfo;
use mw_diagnostics::render::{self, Terminal};
use mw_lower::{LowerErrorKind, LowerOptions, lower_kernel_located};
use mw_msl::options::Options;
use mw_msl::preprocess::MemoryFiles;

/// Longer texts are cut.
const MAX_TEXT: usize = 64 << 10;
/// Kernels of a source that are lowered.
const MAX_KERNELS: usize = 8;
/// Diagnostics that are rendered.
const MAX_SHOWN: usize = 10;

/// What came of a source.
#[derive(Debug, Default)]
pub struct Held {
    /// The front-end's errors, as text; empty where it accepts.
    pub errors: Vec<String>,
    /// A module for each kernel that could be lowered.
    pub modules: Vec<Module>,
    /// What lowering does not support.
    pub unsupported: Vec<String>,
}

/// As [`hold`], for any bytes.
pub fn hold_bytes(bytes: &[u8]) -> Held {
    hold(&String::from_utf8_lossy(bytes))
}

/// Compiles a text, lowers its kernels, and checks what is promised.
///
/// A first line `// flags: -std=metal3.1 -fno-fast-math` chooses options.
///
/// # Panics
/// A promise is broken: lowering calls the program malformed, the verifier or the schema's reader refuses the
/// module, or its text does not read back the same.
pub fn hold(text: &str) -> Held {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    let options = options(text);
    let mut files = MemoryFiles::single("main.metal", text);
    // Something to include, besides the file itself.
    files.add("other.h", "#pragma once\ntemplate <typename T> T other(T x) { return x; }\n");
    let compilation = mw_msl::compile(&options, &files, "main.metal");
    let shown = &compilation.diagnostics[..compilation.diagnostics.len().min(MAX_SHOWN)];
    let _ = render::terminal(shown, &compilation.map, Terminal::default());
    let _ = render::json(shown, &compilation.map);
    let mut held = Held::default();
    let errors = compilation.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    held.errors = errors.map(|error| error.message.clone()).collect();
    let Some(program) = compilation.program else {
        assert!(!held.errors.is_empty(), "there is no program and no error");
        return held;
    };
    let number = options.version.number();
    let lowering = LowerOptions {
        language_version: (number / 100, number / 10 % 10),
        fast_math: options.fast_math,
        source_name: "main.metal".into(),
        debug_info: text.len() % 2 == 1,
    };
    for kernel in program.kernels.iter().filter(|kernel| !kernel.is_visible).take(MAX_KERNELS) {
        match lower_kernel_located(&program, &kernel.name, &lowering, &compilation.map) {
            Ok(module) => {
                hold_module(&module);
                held.modules.push(module);
            }
            Err(error) => {
                assert!(!matches!(error.kind, LowerErrorKind::Malformed(_)), "{error}");
                held.unsupported.push(error.to_string());
            }
        }
    }
    held
}

/// What must hold of a module that lowering made.
fn hold_module(module: &Module) {
    if let Err(errors) = mw_air::verify(module) {
        panic!("the verifier refuses it: {}\n{module}", errors[0]);
    }
    if let Err(error) = ModuleInfo::parse(module) {
        panic!("the schema's reader refuses it: {error}\n{module}");
    }
    let printed = module.to_string();
    match mw_air::parse(&printed) {
        Ok(again) => assert_eq!(again.to_string(), printed, "it reads back as another"),
        Err(error) => panic!("its text is refused: {error}\n{printed}"),
    }
}

fn options(text: &str) -> Options {
    let mut options = Options::default();
    let flags = text.lines().next().and_then(|line| line.strip_prefix("// flags:")).unwrap_or_default();
    for flag in flags.split_whitespace() {
        match flag.strip_prefix("-std=") {
            Some(version) => options.version = version.parse().unwrap_or_default(),
            None => options.fast_math &= flag != "-fno-fast-math",
        }
    }
    options
}
