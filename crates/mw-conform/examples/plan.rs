//! Prints the launches that are planned for a kernel: `plan LIBRARY KERNEL`.
#![expect(clippy::print_stdout, reason = "a command-line tool")]

use mw_air::schema::ModuleInfo;
use mw_conform::plan::{Rules, plan};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: plan LIBRARY KERNEL";
    let path = std::env::args().nth(1).ok_or(usage)?;
    let name = std::env::args().nth(2).ok_or(usage)?;
    for library in mw_metallib::Library::open_all(&path)? {
        let Some(function) = library.function(&name) else { continue };
        let info = ModuleInfo::parse(&function.read_module()?)?;
        let kernel = info.kernels.iter().find(|kernel| *kernel.name == *name).ok_or("no such kernel")?;
        for case in plan(&Rules::built_in(path.as_ref())?, kernel, &info.function_constants, 0)? {
            println!("{}\n  {:?}\n  {:?}", case.label, case.grid, case.constants);
            for (arg, plan) in kernel.args.iter().zip(&case.args) {
                println!("  {} {}: {plan:?}", arg.type_name, arg.name);
            }
        }
    }
    Ok(())
}
