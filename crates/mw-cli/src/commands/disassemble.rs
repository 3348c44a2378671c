//! `mw disassemble LIB KERNEL`: a kernel's code at a stage of compilation.

use clap::ValueEnum as _;
use metalworking::{CpuBackend, CpuOptions};
use mw_cpu::Stage;
use mw_manifest::Launch;
use mw_passes::abi::ThreadgroupShape;
use serde_json::json;

use crate::Outcome;
use crate::cli::{DisassembleArgs, StageName};
use crate::exit::Failure;
use crate::library::{open_with, specialize};
use crate::output::Output;

pub(crate) fn run(args: &DisassembleArgs, output: &Output) -> Outcome {
    let mut settings = Launch::default();
    for constant in &args.constants {
        let (key, value) = super::run::key_value("--constant", constant)?;
        settings.set(&format!("constant.{key}"), value)?;
    }
    settings.set("threadgroup", &args.threadgroup)?;
    let library = open_with(&args.path, args.library, &args.kernel)?;
    let function = library.function(&args.kernel)?;
    if args.stage == StageName::Air && settings.constants.is_empty() {
        show(args, &mw_air::print(function.module(), &mw_air::PrintOptions::default()), output);
        return Ok(());
    }
    let function = specialize(&function, &settings.constants)?;
    let stage = match args.stage {
        StageName::Air => Stage::Air,
        StageName::Scalar => Stage::Scalar,
        StageName::Simd => Stage::Simd,
        StageName::Asm => Stage::Asm,
    };
    // The text of a stage, not its code from the cache.
    let options = CpuOptions { cache_folder: None, ..CpuOptions::from_environment()? };
    let size =
        settings.threadgroup.unwrap_or([32, 1, 1]).map(|extent| u32::try_from(extent).unwrap_or(u32::MAX));
    let text = CpuBackend::new(options)
        .stage(
            function.module(),
            function.module_info(),
            function.kernel_index(),
            ThreadgroupShape::of(size),
            stage,
        )
        .map_err(Failure::from)?;
    show(args, &text, output);
    Ok(())
}

fn show(args: &DisassembleArgs, text: &str, output: &Output) {
    if output.is_json() {
        let stage = args.stage.to_possible_value().map(|value| value.get_name().to_owned());
        output.json(&json!({ "kernel": args.kernel, "stage": stage, "text": text }));
    } else {
        output.raw(text);
    }
}
