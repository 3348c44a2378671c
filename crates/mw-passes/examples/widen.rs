//! Takes kernels of a library through scalar clean-up and widening, and says which cannot be widened and
//! why: `widen LIBRARY [SUBSTRING] [--every N] [--print]`.
#![expect(clippy::print_stdout, reason = "a command-line tool")]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mw_air::schema::{FunctionConstant, ModuleInfo};
use mw_air::{Module, PrintOptions};
use mw_backend::ConstantValues;
use mw_passes::abi::ThreadgroupShape;
use mw_passes::vectorize::{Options, WideKernel};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut positional = Vec::new();
    let (mut every, mut print) = (1, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--every" => every = arguments.next().ok_or("--every needs a number")?.parse()?,
            "--print" => print = true,
            _ => positional.push(argument),
        }
    }
    let path = positional.first().ok_or("usage: widen LIBRARY [SUBSTRING] [--every N] [--print]")?;
    let filter = positional.get(1).map_or("", String::as_str);
    let mut failures: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut done, mut scalar_time, mut wide_time) = (0, Duration::ZERO, Duration::ZERO);
    for library in mw_metallib::Library::open_all(path)? {
        for function in library.functions().filter(|f| f.name().contains(filter)).step_by(every) {
            let outcome = function
                .read_module()
                .map_err(|error| error.to_string())
                .and_then(|module| widen(module, &mut scalar_time, &mut wide_time));
            match outcome {
                Ok(wide) => {
                    done += 1;
                    if print {
                        println!("{}", mw_air::print(&wide.module, &PrintOptions::default()));
                    }
                }
                Err(error) => failures.entry(error).or_default().push(function.name().to_owned()),
            }
        }
    }
    let failed: usize = failures.values().map(Vec::len).sum();
    println!("{done} widened, {failed} failed; clean-up {scalar_time:.2?}, widening {wide_time:.2?}");
    for (error, names) in failures {
        println!("{:6} {error} (first: {})", names.len(), names[0]);
    }
    Ok(())
}

fn widen(
    mut module: Module,
    scalar_time: &mut Duration,
    wide_time: &mut Duration,
) -> Result<WideKernel, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let info = ModuleInfo::parse(&module).map_err(|error| text(&error))?;
    mw_passes::specialize::specialize(&mut module, &info, &some_values(&info.function_constants))
        .map_err(|error| text(&error))?;
    mw_builtins::link(&mut module).map_err(|error| text(&error))?;
    let start = Instant::now();
    let scalar =
        mw_llvm::optimize_scalar(&module, mw_llvm::ScalarOptions::default()).map_err(|error| text(&error))?;
    *scalar_time += start.elapsed();
    let start = Instant::now();
    let options = Options {
        shape: ThreadgroupShape::LINEAR_FULL,
        masked_memory: true,
        two_register_permutes: false,
        flush_denormals: true,
    };
    let flat = mw_passes::scalarize::run(&scalar, &info.kernels[0]).map_err(|error| text(&error))?;
    if std::env::var_os("FLAT").is_some() {
        println!("{}", mw_air::print(&flat, &PrintOptions::default()));
    }
    let wide = mw_passes::vectorize::run(&flat, &info.kernels[0], options).map_err(|error| text(&error))?;
    *wide_time += start.elapsed();
    Ok(wide)
}

/// A value for each function constant: enough to look at the shape of the code.
fn some_values(constants: &[FunctionConstant]) -> ConstantValues {
    let mut values = ConstantValues::new();
    for constant in constants {
        let (bits, size) = match &*constant.type_name {
            "bool" => (1, 1),
            "char" | "uchar" => (4, 1),
            "short" | "ushort" => (4, 2),
            "float" => (u64::from(1.0_f32.to_bits()), 4),
            "long" | "ulong" => (4, 8),
            _ => (4, 4),
        };
        values.set(constant.index, bits, size);
    }
    values
}
