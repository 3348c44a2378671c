//! Compares our compiler's AIR with Apple's: `against OURS APPLES [FILTER]`, both libraries, kernels by name.
//!
//! Reflection must be equal; both modules run on the interpreter with the same generated inputs, and the
//! buffers are compared bit by bit.
#![expect(clippy::print_stdout, reason = "a command-line tool")]

use std::collections::BTreeMap;
use std::sync::Arc;

use mw_air::Module;
use mw_air::schema::{KernelInfo, ModuleInfo};
use mw_conform::compare::difference;
use mw_conform::interpret::{Interpreted, interpret};
use mw_conform::plan::{Case, Rules, plan};
use mw_interp::InterpBackend;
use mw_metallib::Library;

/// Cases that run for each kernel.
const CASES: usize = 3;

/// Operations after which a launch is given up.
const STEPS: u64 = 20_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: against OURS APPLES [FILTER]";
    let mut arguments = std::env::args().skip(1);
    let ours = Library::open_all(arguments.next().ok_or(usage)?)?;
    let path = arguments.next().ok_or(usage)?;
    let apples = Library::open_all(&path)?;
    let filter = arguments.next().unwrap_or_default();
    let rules = Rules::built_in(path.as_ref())?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for function in ours.iter().flat_map(Library::functions) {
        let name = function.name();
        if !name.contains(&filter) {
            continue;
        }
        *counts.entry("kernels").or_default() += 1;
        let Some(apple) = apples.iter().find_map(|library| library.function(name)) else { continue };
        *counts.entry("in both").or_default() += 1;
        let (ours, apple) = (function.read_module()?, apple.read_module()?);
        let reflection = reflect(name, &ours, &apple)?;
        match &reflection {
            None => *counts.entry("reflection equal").or_default() += 1,
            Some(difference) => println!("{name}: reflection: {difference}"),
        }
        match run(&rules, name, &ours, &apple) {
            Ok(0) => *counts.entry("no case ran").or_default() += 1,
            Ok(_) => *counts.entry("results equal").or_default() += 1,
            Err(difference) => println!("{name}: results: {difference}"),
        }
    }
    println!("{counts:?}");
    Ok(())
}

fn kernel<'i>(info: &'i ModuleInfo, name: &str) -> Result<(usize, &'i KernelInfo), String> {
    info.kernels
        .iter()
        .enumerate()
        .find(|(_, kernel)| *kernel.name == *name)
        .ok_or_else(|| format!("no kernel `{name}`"))
}

/// What differs first, if anything does.
fn reflect(name: &str, ours: &Module, apple: &Module) -> Result<Option<String>, Box<dyn std::error::Error>> {
    let (left, right) = (ModuleInfo::parse(ours)?, ModuleInfo::parse(apple)?);
    let ((_, ours), (_, apple)) = (kernel(&left, name)?, kernel(&right, name)?);
    if ours.max_threads_per_threadgroup != apple.max_threads_per_threadgroup {
        return Ok(Some("maximum of threads per threadgroup".into()));
    }
    if ours.args.len() != apple.args.len() {
        return Ok(Some(format!("{} arguments, Apple has {}", ours.args.len(), apple.args.len())));
    }
    for (index, (ours, apple)) in ours.args.iter().zip(&apple.args).enumerate() {
        if (&ours.type_name, &ours.name) != (&apple.type_name, &apple.name) {
            return Ok(Some(format!(
                "argument {index} is {} {}, Apple has {} {}",
                ours.type_name, ours.name, apple.type_name, apple.name
            )));
        }
        if ours.role != apple.role {
            return Ok(Some(format!("argument {index}: {:?}, Apple has {:?}", ours.role, apple.role)));
        }
        if ours.unused != apple.unused {
            return Ok(Some(format!("argument {index} `{}`: unused {}", ours.name, ours.unused)));
        }
        if ours.predicate.is_some() != apple.predicate.is_some() {
            return Ok(Some(format!("argument {index}: gated differently")));
        }
    }
    let constants = |info: &ModuleInfo| -> Vec<(u32, String, String, bool)> {
        let mut list: Vec<_> = info
            .function_constants
            .iter()
            .map(|it| (it.index, it.name.to_string(), it.type_name.to_string(), it.required))
            .collect();
        list.sort();
        list
    };
    Ok((constants(&left) != constants(&right)).then(|| "function constants".into()))
}

/// How many cases gave equal results.
fn run(rules: &Rules, name: &str, ours: &Module, apple: &Module) -> Result<usize, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let info = ModuleInfo::parse(apple).map_err(|error| text(&error))?;
    let (_, described) = kernel(&info, name)?;
    let cases = plan(rules, described, &info.function_constants, 7).map_err(|error| text(&error))?;
    let mut equal = 0;
    for case in cases.iter().take(CASES) {
        let Ok(apples) = one(apple, name, case) else { continue };
        let mine = one(ours, name, case).map_err(|error| format!("{}: {error}", case.label))?;
        for (slot, (mine, apples)) in case.slots().iter().zip(mine.buffers.iter().zip(&apples.buffers)) {
            let (Some(mine), Some(apples)) = (mine, apples) else { continue };
            let length = mine.after.len().min(apples.after.len());
            let argument = &described.args[slot.arg].name;
            if let Some(found) =
                difference(argument, case.element(*slot), &apples.after[..length], &mine.after[..length])
            {
                return Err(format!(
                    "{}: `{argument}`[{}] is {} by Apple's AIR and {} by ours ({} ULP); {} of {} differ",
                    case.label, found.index, found.expected, found.actual, found.ulp, found.count, found.of
                ));
            }
        }
        equal += 1;
    }
    Ok(equal)
}

fn one(module: &Module, name: &str, case: &Case) -> Result<Interpreted, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let info = ModuleInfo::parse(module).map_err(|error| text(&error))?;
    let (index, _) = kernel(&info, name)?;
    let mut module = module.clone();
    let mut report = mw_passes::specialize::specialize(&mut module, &info, &case.constants)
        .map_err(|error| text(&error))?;
    let active = report.active_args.swap_remove(index);
    let interp = InterpBackend { step_limit: STEPS };
    let prepared = interp.prepare(&Arc::new(module), &Arc::new(info), index).map_err(|error| text(&error))?;
    interpret(&prepared, case, &active).map_err(|error| text(&error))
}
