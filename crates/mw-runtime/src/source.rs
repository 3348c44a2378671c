//! Libraries out of Metal source.
//!
//! The front-end reads and checks the whole text at once; each kernel is lowered when it is asked for.

use std::fmt;
use std::sync::{Arc, OnceLock};

use mw_air::Module;
use mw_air::schema::ModuleInfo;
use mw_diagnostics::Diagnostic;
use mw_lower::{LowerError, LowerOptions};
use mw_msl::hir::Program;
use mw_msl::options::{LanguageVersion, Options};
use mw_msl::preprocess::{FileProvider, MemoryFiles};
use mw_source::SourceMap;

use crate::error::{FunctionError, LibraryError};
use crate::function::Function;

/// Columns of messages.
const TERMINAL_WIDTH: usize = 120;

/// How Metal source is compiled (`MTLCompileOptions`).
#[derive(Clone)]
pub struct CompileOptions {
    /// Version of the Metal Shading Language.
    pub language_version: LanguageVersion,
    /// Floating-point arithmetic may assume no NaN and no infinity, and may reorder.
    pub fast_math: bool,
    /// Macros that are defined before the first line: name (with parameters, if any) and body.
    pub macros: Vec<(String, String)>,
    /// Folders in which `#include` looks, in order. Nothing is read from disk: see [`Self::files`].
    pub include_folders: Vec<String>,
    /// Name of the source in messages.
    pub file_name: String,
    /// The text of modules names the lines of the source (`-g`).
    pub debug_info: bool,
    /// Where included files come from; by default there are none but Metal's own.
    pub files: Arc<dyn FileProvider + Send + Sync>,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            language_version: LanguageVersion::default(),
            fast_math: true,
            macros: Vec::new(),
            include_folders: Vec::new(),
            file_name: "program_source".into(),
            debug_info: false,
            files: Arc::new(MemoryFiles::default()),
        }
    }
}

impl CompileOptions {
    /// The defaults: the newest language version, fast math, no macros.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the language version.
    #[must_use]
    pub fn language_version(mut self, version: LanguageVersion) -> Self {
        self.language_version = version;
        self
    }

    /// Turns fast math on or off.
    #[must_use]
    pub fn fast_math(mut self, is_on: bool) -> Self {
        self.fast_math = is_on;
        self
    }

    /// Defines a macro.
    #[must_use]
    pub fn with_macro(mut self, name: impl Into<String>, body: impl Into<String>) -> Self {
        self.macros.push((name.into(), body.into()));
        self
    }

    /// Gives the source a name for messages.
    #[must_use]
    pub fn file_name(mut self, name: impl Into<String>) -> Self {
        self.file_name = name.into();
        self
    }

    fn front_end(&self) -> Options {
        Options {
            version: self.language_version,
            defines: self.macros.clone(),
            include_folders: self.include_folders.clone(),
            fast_math: self.fast_math,
        }
    }

    fn lowering(&self) -> LowerOptions {
        let number = self.language_version.number();
        LowerOptions {
            language_version: (number / 100, number / 10 % 10),
            fast_math: self.fast_math,
            source_name: self.file_name.rsplit('/').next().unwrap_or_default().to_owned(),
            debug_info: self.debug_info,
        }
    }
}

impl fmt::Debug for CompileOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompileOptions")
            .field("language_version", &self.language_version)
            .field("fast_math", &self.fast_math)
            .field("macros", &self.macros)
            .field("file_name", &self.file_name)
            .finish_non_exhaustive()
    }
}

/// The source first, then the files that the caller gives.
struct WithMain<'a> {
    name: &'a str,
    text: Arc<str>,
    others: &'a dyn FileProvider,
}

impl FileProvider for WithMain<'_> {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        if path == self.name { Some(self.text.clone()) } else { self.others.read(path) }
    }
}

/// What a compilation has to say, with the texts that it speaks of.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// In the order in which they were found.
    pub list: Vec<Diagnostic>,
    /// The files.
    pub sources: SourceMap,
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(&self.list, &self.sources))
    }
}

/// A checked program whose kernels are lowered on demand.
#[derive(Clone)]
pub struct SourceProgram {
    inner: Arc<Inner>,
}

struct Inner {
    program: Program,
    options: LowerOptions,
    diagnostics: Diagnostics,
    names: Vec<String>,
    modules: Vec<OnceLock<Lowered>>,
}

/// A kernel's module, or why there is none.
type Lowered = Result<(Module, ModuleInfo), String>;

impl SourceProgram {
    /// Reads and checks a text.
    ///
    /// # Errors
    /// The text is not correct Metal; the error holds all diagnostics.
    pub fn compile(source: &str, options: &CompileOptions) -> Result<Self, LibraryError> {
        let files = WithMain { name: &options.file_name, text: source.into(), others: &*options.files };
        let compilation = mw_msl::compile(&options.front_end(), &files, &options.file_name);
        let is_wrong = compilation.diagnostics.iter().any(Diagnostic::is_error);
        match compilation.program {
            Some(program) if !is_wrong => {
                let names: Vec<String> = program
                    .kernels
                    .iter()
                    .filter(|kernel| !kernel.is_visible)
                    .map(|kernel| kernel.name.clone())
                    .collect();
                let modules = names.iter().map(|_| OnceLock::new()).collect();
                Ok(Self {
                    inner: Arc::new(Inner {
                        program,
                        options: options.lowering(),
                        diagnostics: Diagnostics { list: compilation.diagnostics, sources: compilation.map },
                        names,
                        modules,
                    }),
                })
            }
            _ => Err(LibraryError::Compile(Arc::new(Diagnostics {
                list: compilation.diagnostics,
                sources: compilation.map,
            }))),
        }
    }

    /// Names of the kernels, in the order of the source.
    pub fn kernel_names(&self) -> &[String] {
        &self.inner.names
    }

    /// Warnings.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.inner.diagnostics
    }

    /// The checked program.
    pub fn program(&self) -> &Program {
        &self.inner.program
    }

    /// The module of a kernel, lowered now if it was not before.
    ///
    /// # Errors
    /// The kernel uses what cannot be lowered; the text says what and where. `None` where there is no such
    /// kernel.
    pub fn module(&self, name: &str) -> Option<Result<&(Module, ModuleInfo), &str>> {
        let position = self.inner.names.iter().position(|known| known == name)?;
        let lowered = self.inner.modules[position].get_or_init(|| self.lower(name));
        Some(lowered.as_ref().map_err(String::as_str))
    }

    /// One module with all kernels.
    ///
    /// # Errors
    /// A kernel uses what cannot be lowered; the text says what and where.
    pub fn whole_module(&self) -> Result<Module, String> {
        let inner = &*self.inner;
        mw_lower::lower_located(&inner.program, &inner.options, &inner.diagnostics.sources)
            .map_err(|error| render_lowering(&error, &inner.diagnostics.sources))
    }

    fn lower(&self, name: &str) -> Lowered {
        let inner = &*self.inner;
        let module =
            mw_lower::lower_kernel_located(&inner.program, name, &inner.options, &inner.diagnostics.sources)
                .map_err(|error| render_lowering(&error, &inner.diagnostics.sources))?;
        if let Err(errors) = mw_air::verify(&module) {
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            return Err(format!("internal error: the AIR made of it is not valid: {}", texts.join("; ")));
        }
        let info = ModuleInfo::parse(&module).map_err(|error| error.to_string())?;
        Ok((module, info))
    }

    pub(crate) fn function(&self, name: &str) -> Option<Result<Function, FunctionError>> {
        Some(match self.module(name)? {
            Ok((module, info)) => Function::of_module(name, module.clone(), info.clone()),
            Err(message) => Err(FunctionError::Lower { name: name.to_owned(), message: message.to_owned() }),
        })
    }
}

impl fmt::Debug for SourceProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceProgram").field("kernels", &self.inner.names.len()).finish_non_exhaustive()
    }
}

/// What lowering cannot do, as a diagnostic.
fn render_lowering(error: &LowerError, sources: &SourceMap) -> String {
    render(&[error.to_diagnostic()], sources)
}

fn render(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let layout = mw_diagnostics::render::Terminal { color: false, width: TERMINAL_WIDTH };
    mw_diagnostics::render::terminal(diagnostics, sources, layout)
}
