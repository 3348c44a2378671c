//! Prints the arguments of one kernel of each family: `signatures LIBRARY [SUBSTRING]`.
#![expect(clippy::print_stdout, reason = "a command-line tool")]

use std::collections::BTreeMap;

use mw_air::schema::{ArgRole, ModuleInfo};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: signatures LIBRARY [SUBSTRING]")?;
    let filter = arguments.next().unwrap_or_default();
    let mut families: BTreeMap<String, usize> = BTreeMap::new();
    for library in mw_metallib::Library::open_all(path)? {
        for function in library.functions().filter(|f| f.name().contains(&*filter)) {
            let count = families.entry(mw_conform::families::family(function.name())).or_default();
            *count += 1;
            if *count > 1 {
                continue;
            }
            let module = function.read_module()?;
            let info = ModuleInfo::parse(&module)?;
            println!("== {} ({})", function.name(), mw_conform::families::family(function.name()));
            for kernel in &info.kernels {
                if let Some(max) = kernel.max_threads_per_threadgroup {
                    println!("  max_threads {max}");
                }
                for (index, arg) in kernel.args.iter().enumerate() {
                    let role = match &arg.role {
                        ArgRole::Buffer(b) | ArgRole::IndirectBuffer(b) => {
                            let members: Vec<String> = b
                                .members
                                .iter()
                                .map(|m| {
                                    format!("{} {}@{}[{}]", m.type_name, m.name, m.offset, m.array_length)
                                })
                                .collect();
                            format!(
                                "buffer({}) {:?} {} size {:?} tsize {:?} {members:?}",
                                b.location, b.access, b.space.0, b.size, b.type_size
                            )
                        }
                        ArgRole::VisibleFunctionTable { location } => format!("table({location})"),
                        ArgRole::Builtin(b) => format!("{b:?}"),
                    };
                    println!(
                        "  {index} {} {} {}{}{role}",
                        arg.type_name,
                        arg.name,
                        if arg.unused { "UNUSED " } else { "" },
                        if arg.predicate.is_some() { "GATED " } else { "" }
                    );
                }
            }
            for c in &info.function_constants {
                println!("  const {} {} {} required={}", c.index, c.type_name, c.name, c.required);
            }
        }
    }
    println!("{} families", families.len());
    Ok(())
}
