//! Runs the launches that are planned for kernels on the interpreter, and prints what became of each:
//! `cases LIBRARY KERNEL…`. Good for writing launch rules.
#![expect(clippy::print_stdout, reason = "a command-line tool")]

use std::sync::Arc;

use mw_air::schema::ModuleInfo;
use mw_conform::interpret::interpret;
use mw_conform::plan::{Rules, mix, plan};
use mw_interp::InterpBackend;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: cases LIBRARY KERNEL…")?;
    // As they are now, not as they were when this was compiled, where `MW_LAUNCHES` says so.
    let rules = Rules::built_in(path.as_ref())?;
    let libraries = mw_metallib::Library::open_all(path)?;
    for name in arguments {
        let function =
            libraries.iter().find_map(|library| library.function(&name)).ok_or("no such kernel")?;
        let module = function.read_module()?;
        let info = Arc::new(ModuleInfo::parse(&module)?);
        let index = info.kernels.iter().position(|kernel| *kernel.name == *name).ok_or("no such kernel")?;
        let seed = name.bytes().fold(0, |seed, byte| mix(seed ^ u64::from(byte)));
        println!("{name}");
        let mut seen = Vec::new();
        for case in plan(&rules, &info.kernels[index], &info.function_constants, seed)? {
            let mut module = module.clone();
            let mut report = mw_passes::specialize::specialize(&mut module, &info, &case.constants)?;
            let active = report.active_args.swap_remove(index);
            let kernel = InterpBackend { step_limit: 30_000_000 }.prepare(&Arc::new(module), &info, index)?;
            let blocks: Vec<_> = kernel.own_blocks().collect();
            match interpret(&kernel, &case, &active) {
                Ok(result) => {
                    let run: Vec<_> =
                        blocks.iter().filter(|(f, b)| result.executed.contains(*f, *b)).copied().collect();
                    let new = run.iter().filter(|block| !seen.contains(*block)).count();
                    seen.extend(run.iter().copied());
                    seen.sort_unstable();
                    seen.dedup();
                    let sizes: Vec<usize> =
                        result.buffers.iter().flatten().map(|buffer| buffer.after.len()).collect();
                    println!(
                        "  {}: {} of {} blocks, {new} new, {} in all; {} operations; bytes {sizes:?}; findings {:?}",
                        case.label,
                        run.len(),
                        blocks.len(),
                        seen.len(),
                        result.steps,
                        result.findings.iter().map(|finding| finding.kind.describe()).collect::<Vec<_>>()
                    );
                }
                Err(error) => println!("  {}: {error}", case.label),
            }
        }
        println!("  {} blocks", seen.len());
    }
    Ok(())
}
