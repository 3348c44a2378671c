//! `mw compile FILE.metal`: Metal source to AIR, as text, bitcode or a library.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::ValueHint;
use metalworking::{FunctionConstant, SourceProgram};
use mw_air::Module;
use mw_air::schema::ModuleInfo;
use mw_metallib::{FunctionKind, NewConstant, NewFunction, NewLibrary, write_library};
use rayon::prelude::*;
use serde_json::json;

use crate::Outcome;
use crate::exit::{self, Failure};
use crate::output::Output;
use crate::source::SourceArgs;

#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct CompileArgs {
    /// Metal source
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) path: PathBuf,
    /// Where to write: .metallib (all kernels), .air or .ll (all kernels in one module)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// 0: as the source says; 1 and 2: the scalar clean-up of the CPU engine
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=2))]
    pub(crate) optimize: u8,
    /// Leave out kernels that cannot be lowered, and say which
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Bitcode,
    Library,
}

pub(crate) fn run(args: &CompileArgs, output: &Output) -> Outcome {
    let to = args.output.clone().unwrap_or_else(|| args.path.with_extension("metallib"));
    let form = match to.extension().and_then(|extension| extension.to_str()) {
        Some("ll") => Form::Text,
        Some("air") => Form::Bitcode,
        Some("metallib") => Form::Library,
        _ => {
            return Err(Failure::usage(format!(
                "`{}`: the name of the output ends in .metallib, .air or .ll",
                to.display()
            )));
        }
    };
    let program = args.source.compile(&args.path)?;
    if !program.diagnostics().list.is_empty() {
        output.note(program.diagnostics().to_string());
    }
    let mut names: Vec<&String> = program.kernel_names().iter().collect();
    if args.keep_going {
        names.retain(|name| match program.module(name) {
            Some(Err(message)) => {
                output.note(format!("left out `{name}`: {message}"));
                false
            }
            _ => true,
        });
    }
    if names.is_empty() {
        output.note(format!("`{}` defines no kernel", args.path.display()));
    }
    let bytes = match form {
        Form::Text => text(&whole(&program, args.optimize)?)?.into_bytes(),
        Form::Bitcode => bitcode(&whole(&program, args.optimize)?)?,
        Form::Library => library(&program, &names, args.optimize)?,
    };
    std::fs::write(&to, bytes)
        .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", to.display())))?;
    output.line(format!("{} kernels in {}", names.len(), to.display()));
    output.json(&json!({
        "source": args.path.display().to_string(),
        "output": to.display().to_string(),
        "kernels": names,
    }));
    Ok(())
}

/// One module with all kernels.
fn whole(program: &SourceProgram, optimize: u8) -> Result<Module, Failure> {
    optimized(program.whole_module().map_err(Failure::unsupported)?, optimize)
}

fn optimized(module: Module, level: u8) -> Result<Module, Failure> {
    if level == 0 {
        return Ok(module);
    }
    let text = mw_llvm::text::optimize_scalar(&text(&module)?, mw_llvm::ScalarOptions::default())
        .map_err(|error| Failure::internal(error.to_string()))?;
    mw_air::parse(&text).map_err(|error| Failure::internal(error.to_string()))
}

fn text(module: &Module) -> Result<String, Failure> {
    if let Err(errors) = mw_air::verify(module) {
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        return Err(Failure::internal(texts.join("; ")));
    }
    Ok(mw_air::print(module, &mw_air::PrintOptions::default()))
}

fn bitcode(module: &Module) -> Result<Vec<u8>, Failure> {
    mw_llvm::text::bitcode(&text(module)?).map_err(|error| Failure::internal(error.to_string()))
}

/// A kernel, ready to be written.
struct Written {
    bitcode: Vec<u8>,
    constants: Vec<FunctionConstant>,
    air_version: (u16, u16),
    language_version: (u16, u16),
}

/// A library with a module for each kernel.
fn library(program: &SourceProgram, names: &[&String], optimize: u8) -> Result<Vec<u8>, Failure> {
    let written: Vec<Written> = names
        .par_iter()
        .map(|name| {
            let (module, info) = lowered(program, name)?;
            let module = optimized(module.clone(), optimize)?;
            let pair = |(major, minor): (u32, u32)| (major as u16, minor as u16);
            Ok(Written {
                bitcode: bitcode(&module)?,
                constants: info.function_constants.clone(),
                air_version: pair(info.air_version),
                language_version: pair(info.language_version),
            })
        })
        .collect::<Result<_, Failure>>()?;
    let constants: Vec<Vec<NewConstant<'_>>> = written
        .iter()
        .map(|kernel| {
            kernel
                .constants
                .iter()
                .map(|constant| NewConstant {
                    name: &constant.name,
                    data_type: data_type(&constant.type_name),
                    index: constant.index as u16,
                    is_required: constant.required,
                })
                .collect()
        })
        .collect();
    let functions = names
        .iter()
        .zip(&written)
        .zip(&constants)
        .map(|((name, kernel), constants)| NewFunction {
            name,
            kind: FunctionKind::Kernel,
            bitcode: &kernel.bitcode,
            air_version: kernel.air_version,
            language_version: kernel.language_version,
            constants,
        })
        .collect();
    let library = NewLibrary { version: (2, 7), os_version: (14, 0), functions };
    Ok(write_library(&library)?)
}

fn lowered<'p>(program: &'p SourceProgram, name: &str) -> Result<&'p (Module, ModuleInfo), Failure> {
    match program.module(name) {
        Some(Ok(lowered)) => Ok(lowered),
        Some(Err(message)) => Err(Failure::unsupported(message.to_owned())),
        None => Err(Failure::internal(format!("kernel `{name}` is gone"))),
    }
}

/// Metal's number of a type of function constants (`MTLDataType`).
fn data_type(name: &str) -> u8 {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = name[base.len()..].parse::<u8>().unwrap_or(1);
    let first = match base {
        "float" => 3,
        "half" => 16,
        "int" => 29,
        "uint" => 33,
        "short" => 37,
        "ushort" => 41,
        "char" => 45,
        "uchar" => 49,
        "bool" => 53,
        "long" => 81,
        "ulong" => 85,
        "bfloat" => 121,
        _ => return 0,
    };
    first + lanes - 1
}

/// Whether a file is Metal source by its name.
pub(crate) fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "metal")
}
