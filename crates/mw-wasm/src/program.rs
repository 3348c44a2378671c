//! Sources: compiling them, keeping the last one, and what they say about themselves.

use std::cell::RefCell;
use std::sync::Arc;

use mw_air::Module;
use mw_air::schema::{Access, ArgRole, BufferArg, FunctionConstant, KernelInfo, ModuleInfo, StructMember};
use mw_air::{AddressSpace, Layout};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::render::{self, Terminal};
use mw_lower::LowerOptions;
use mw_msl::hir::Program;
use mw_msl::options::Options;
use mw_msl::preprocess::MemoryFiles;
use mw_source::SourceMap;
use serde_json::{Value, json};

use crate::request::Source;

/// A source of more bytes is refused.
const MAX_SOURCE: usize = 4 << 20;

/// A checked source.
pub(crate) struct Compiled {
    program: Option<Program>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) map: SourceMap,
    options: LowerOptions,
}

/// A kernel's module with what it says of itself.
pub(crate) type Lowered = (Arc<Module>, Arc<ModuleInfo>);

thread_local! {
    /// The last source: runs mostly repeat it.
    static LAST: RefCell<Option<(Source, Arc<Compiled>)>> = const { RefCell::new(None) };
}

impl Compiled {
    /// Compiles a source, or gives what came of it the last time.
    pub(crate) fn of(source: &Source) -> Result<Arc<Self>, String> {
        let known = LAST.with_borrow(|last| {
            last.as_ref().filter(|(known, _)| known == source).map(|(_, compiled)| compiled.clone())
        });
        if let Some(known) = known {
            return Ok(known);
        }
        let compiled = Arc::new(Self::new(source)?);
        LAST.set(Some((source.clone(), compiled.clone())));
        Ok(compiled)
    }

    fn new(source: &Source) -> Result<Self, String> {
        let length = source.source.len() + source.files.values().map(String::len).sum::<usize>();
        if length > MAX_SOURCE {
            return Err(format!("the source has {length} bytes, more than {MAX_SOURCE}"));
        }
        let version = match &source.std {
            Some(name) => name.parse()?,
            None => mw_msl::options::LanguageVersion::default(),
        };
        let mut files = MemoryFiles::single(source.file.as_str(), source.source.as_str());
        for (name, text) in &source.files {
            files.add(name.as_str(), text.as_str());
        }
        let options = Options {
            version,
            defines: source.defines.clone().into_iter().collect(),
            fast_math: source.fast_math,
            ..Options::default()
        };
        let compilation = mw_msl::compile(&options, &files, &source.file);
        let number = version.number();
        Ok(Self {
            program: compilation.program,
            diagnostics: compilation.diagnostics,
            map: compilation.map,
            options: LowerOptions {
                language_version: (number / 100, number / 10 % 10),
                fast_math: source.fast_math,
                source_name: source.file.clone(),
                debug_info: false,
            },
        })
    }

    /// Names of the kernels, in the order of the source; none if it does not compile.
    pub(crate) fn kernel_names(&self) -> Vec<&str> {
        let kernels = self.program.iter().flat_map(|program| &program.kernels);
        kernels.filter(|kernel| !kernel.is_visible).map(|kernel| kernel.name.as_str()).collect()
    }

    /// The module of a kernel, or why there is none.
    pub(crate) fn lower(&self, kernel: &str) -> Result<Lowered, Box<Diagnostic>> {
        let Some(program) = &self.program else {
            return Err(Box::new(
                self.diagnostics.first().cloned().unwrap_or_else(|| internal("nothing compiled")),
            ));
        };
        let module = mw_lower::lower_kernel_located(program, kernel, &self.options, &self.map)
            .map_err(|error| Box::new(error.to_diagnostic()))?;
        if let Err(errors) = mw_air::verify(&module) {
            let first = errors.first().map(ToString::to_string).unwrap_or_default();
            return Err(Box::new(internal(&format!("the AIR made of the source is not valid: {first}"))));
        }
        let info = ModuleInfo::parse(&module).map_err(|error| Box::new(internal(&error.to_string())))?;
        Ok((Arc::new(module), Arc::new(info)))
    }

    /// Diagnostics as JSON, and as text for terminals.
    pub(crate) fn describe(&self, list: &[Diagnostic]) -> (Value, String) {
        let layout = Terminal { color: false, width: 100 };
        (render::json(list, &self.map), render::terminal(list, &self.map, layout))
    }

    /// What the kernels are and take.
    pub(crate) fn reflect(&self) -> (Vec<Value>, Vec<Diagnostic>) {
        let mut kernels = Vec::new();
        let mut errors = Vec::new();
        for name in self.kernel_names() {
            match self.lower(name) {
                Ok((module, info)) => {
                    kernels.extend(info.kernels.iter().map(|kernel| reflect_kernel(kernel, &module, &info)));
                }
                Err(error) => errors.push(*error),
            }
        }
        (kernels, errors)
    }
}

fn internal(message: &str) -> Diagnostic {
    let code = &mw_diagnostics::registry::lowering::CODES[0];
    Diagnostic::new(code, mw_source::Span::default(), format!("internal error: {message}"))
}

fn reflect_kernel(kernel: &KernelInfo, module: &Module, info: &ModuleInfo) -> Value {
    let arguments: Vec<Value> = kernel
        .args
        .iter()
        .map(|argument| {
            let (kind, buffer) = match &argument.role {
                ArgRole::Buffer(buffer) if buffer.space == AddressSpace::THREADGROUP => {
                    ("threadgroup", Some(buffer))
                }
                ArgRole::Buffer(buffer) => ("buffer", Some(buffer)),
                ArgRole::IndirectBuffer(buffer) => ("argument_buffer", Some(buffer)),
                ArgRole::VisibleFunctionTable { .. } => ("visible_function_table", None),
                ArgRole::Builtin(_) => ("builtin", None),
            };
            let mut value = json!({
                "kind": kind,
                "name": &*argument.name,
                "type": &*argument.type_name,
                "unused": argument.unused,
                "optional": argument.predicate.is_some(),
            });
            match (&argument.role, buffer) {
                (ArgRole::Builtin(builtin), _) => value["role"] = json!(builtin.role()),
                (_, Some(buffer)) => describe_buffer(&mut value, buffer),
                (ArgRole::VisibleFunctionTable { location }, _) => value["index"] = json!(location),
                _ => {}
            }
            value
        })
        .collect();
    let threadgroup_bytes: u64 = (module.globals.iter())
        .filter(|global| global.space == AddressSpace::THREADGROUP)
        .map(|global| Layout::alloc_size(&global.ty))
        .sum();
    json!({
        "name": &*kernel.name,
        "arguments": arguments,
        "function_constants": info.function_constants.iter().map(describe_constant).collect::<Vec<_>>(),
        "max_threads_per_threadgroup": kernel.max_threads_per_threadgroup,
        "threadgroup_bytes": threadgroup_bytes,
    })
}

fn describe_buffer(value: &mut Value, buffer: &BufferArg) {
    value["index"] = json!(buffer.location);
    value["access"] = json!(match buffer.access {
        Access::Read => "read",
        Access::Write => "write",
        Access::ReadWrite => "read_write",
    });
    value["space"] = json!(if buffer.space == AddressSpace::CONSTANT { "constant" } else { "device" });
    value["size"] = json!(buffer.size);
    value["element_size"] = json!(buffer.type_size);
    value["element_align"] = json!(buffer.type_align);
    if !buffer.members.is_empty() {
        value["members"] = json!(buffer.members.iter().map(describe_member).collect::<Vec<_>>());
    }
}

fn describe_member(member: &StructMember) -> Value {
    json!({
        "name": &*member.name,
        "type": &*member.type_name,
        "offset": member.offset,
        "size": member.size,
        "array_length": member.array_length,
        "members": member.members.iter().map(describe_member).collect::<Vec<_>>(),
    })
}

fn describe_constant(constant: &FunctionConstant) -> Value {
    json!({
        "index": constant.index,
        "name": &*constant.name,
        "type": &*constant.type_name,
        "required": constant.required,
    })
}
