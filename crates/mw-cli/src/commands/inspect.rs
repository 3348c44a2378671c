//! `mw inspect LIB [KERNEL]`: what a library holds, and what a kernel asks of its caller.

use metalworking::{Access, Function, KernelInfo, Library, StructMember};
use mw_air::schema::{ArgRole, BufferArg, KernelArg};
use mw_air::{AddressSpace, Layout};
use mw_metallib::FunctionKind;
use regex::Regex;
use serde_json::{Value, json};

use crate::Outcome;
use crate::cli::InspectArgs;
use crate::exit::Failure;
use crate::library::{open_all, open_with, pick};
use crate::output::{Output, table};

pub(crate) fn run(args: &InspectArgs, output: &Output) -> Outcome {
    if let Some(kernel) = &args.kernel {
        let library = open_with(&args.path, args.library, kernel)?;
        one(&library.function(kernel)?, output);
        return Ok(());
    }
    let mut libraries = open_all(&args.path)?;
    if let Some(position) = args.library {
        libraries = vec![pick(&mut libraries, position, &args.path)?];
    }
    let filter = args.filter.as_deref().map(Regex::new).transpose()?;
    let lists: Vec<Value> =
        libraries.iter().map(|library| list(library, filter.as_ref(), output)).collect::<Result<_, _>>()?;
    output.json(&json!({ "file": args.path.display().to_string(), "libraries": lists }));
    Ok(())
}

/// Lists the functions of a library.
fn list(library: &Library, filter: Option<&Regex>, output: &Output) -> Result<Value, Failure> {
    let mut functions = Vec::new();
    for entry in entries(library)? {
        if filter.is_some_and(|filter| !filter.is_match(&entry.name)) {
            continue;
        }
        if output.is_json() {
            functions.push(json!({
                "name": entry.name,
                "kind": entry.kind,
                "air_version": entry.air_version,
                "language_version": entry.language_version,
                "function_constants": entry.constants,
            }));
        } else {
            let constants = match entry.constants {
                0 => String::new(),
                1 => "  (1 function constant)".to_owned(),
                count => format!("  ({count} function constants)"),
            };
            let kind = if entry.kind == "kernel" { String::new() } else { format!("  [{}]", entry.kind) };
            output.line(format!("{}{kind}{constants}", entry.name));
            functions.push(Value::Null);
        }
    }
    let header = library.container().and_then(mw_metallib::Library::header);
    let version = header.map(|header| format!("{}.{}", header.version.0, header.version.1));
    output.note(format!(
        "{} of {} functions{}",
        functions.len(),
        library.function_names().len(),
        version.as_ref().map(|version| format!(", container version {version}")).unwrap_or_default()
    ));
    Ok(json!({
        "container_version": version,
        "function_count": library.function_names().len(),
        "functions": functions,
    }))
}

/// A function as the list shows it.
struct Entry {
    name: String,
    kind: &'static str,
    air_version: String,
    language_version: String,
    constants: usize,
}

fn entries(library: &Library) -> Result<Vec<Entry>, Failure> {
    let version = |(major, minor): (u16, u16)| format!("{major}.{minor}");
    let Some(container) = library.container() else {
        return library.function_names().into_iter().map(|name| module_entry(library, name)).collect();
    };
    container
        .functions()
        .map(|entry| {
            Ok(Entry {
                name: entry.name().to_owned(),
                kind: kind_name(entry.kind()),
                air_version: version(entry.air_version()),
                language_version: version(entry.language_version()),
                constants: entry.function_constants()?.len(),
            })
        })
        .collect()
}

fn module_entry(library: &Library, name: &str) -> Result<Entry, Failure> {
    let function = library.function(name)?;
    let info = function.module_info();
    Ok(Entry {
        name: name.to_owned(),
        kind: "kernel",
        air_version: format!("{}.{}", info.air_version.0, info.air_version.1),
        language_version: format!("{}.{}", info.language_version.0, info.language_version.1),
        constants: info.function_constants.len(),
    })
}

fn kind_name(kind: FunctionKind) -> &'static str {
    match kind {
        FunctionKind::Kernel => "kernel",
        FunctionKind::Vertex => "vertex",
        FunctionKind::Fragment => "fragment",
        FunctionKind::Visible => "visible",
        FunctionKind::Extern => "extern",
        FunctionKind::Intersection => "intersection",
        FunctionKind::Mesh => "mesh",
        FunctionKind::Object => "object",
        _ => "unqualified",
    }
}

/// Tells everything about one kernel.
fn one(function: &Function, output: &Output) {
    let kernel = function.kernel_info();
    output.json(&describe(function));
    let info = function.module_info();
    output.line(format!("kernel {}", function.name()));
    output.line(format!(
        "  AIR {}.{}, Metal {}.{}, {}, f32 denormals {}",
        info.air_version.0,
        info.air_version.1,
        info.language_version.0,
        info.language_version.1,
        if info.fast_math { "fast math" } else { "precise math" },
        if info.denorms_disabled { "flushed" } else { "kept" },
    ));
    output.line(match kernel.max_threads_per_threadgroup {
        Some(limit) => format!("  at most {limit} threads per threadgroup"),
        None => "  as many threads per threadgroup as the device allows".to_owned(),
    });
    output.line(format!("  {} bytes of threadgroup memory", threadgroup_memory(function)));
    let (blocks, instructions) = code_size(function);
    output.line(format!("  {blocks} blocks, {instructions} instructions"));
    if !kernel.args.is_empty() {
        let mut rows = table(&["argument", "type", "binding", "access", "bytes", "exists"]);
        for arg in &kernel.args {
            let mut row = arg_row(arg);
            row.push(exists(function, arg));
            rows.add_row(row);
        }
        output.line(rows.to_string());
    }
    members(kernel, output);
    if !function.function_constants().is_empty() {
        let mut rows = table(&["function constant", "name", "type", "required"]);
        for constant in function.function_constants() {
            rows.add_row([
                constant.index.to_string(),
                constant.name.to_string(),
                constant.type_name.to_string(),
                (if constant.required { "yes" } else { "no" }).to_owned(),
            ]);
        }
        output.line(rows.to_string());
    }
}

fn arg_row(arg: &KernelArg) -> Vec<String> {
    let name = if arg.name.is_empty() { "_".to_owned() } else { arg.name.to_string() };
    let rest = match &arg.role {
        ArgRole::Buffer(buffer) | ArgRole::IndirectBuffer(buffer) => {
            let space = buffer.space.name().unwrap_or("?");
            let reference = if buffer.size.is_some() { "&" } else { "*" };
            let table = if buffer.space == AddressSpace::THREADGROUP { "threadgroup" } else { "buffer" };
            [
                format!("{space} {}{reference}", arg.type_name),
                format!("{table}({})", buffer.location),
                access_name(buffer.access).to_owned(),
                extent(buffer),
            ]
        }
        ArgRole::VisibleFunctionTable { location } => {
            [arg.type_name.to_string(), format!("buffer({location})"), String::new(), String::new()]
        }
        ArgRole::Builtin(builtin) => [
            arg.type_name.to_string(),
            builtin.role().trim_start_matches("air.").to_owned(),
            String::new(),
            String::new(),
        ],
    };
    std::iter::once(name).chain(rest).collect()
}

fn access_name(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::ReadWrite => "read, write",
    }
}

/// Bytes that are needed: exact for references, per element otherwise.
fn extent(buffer: &BufferArg) -> String {
    match (buffer.size, buffer.type_size) {
        (Some(size), _) => size.to_string(),
        (None, Some(size)) => format!("{size} each"),
        (None, None) => String::new(),
    }
}

/// Whether an argument exists: always, never used, or when a function constant says so.
fn exists(function: &Function, arg: &KernelArg) -> String {
    match arg.predicate {
        Some(predicate) => {
            let constants = function.function_constants();
            let direct = constants.iter().find(|constant| constant.global == predicate);
            match direct {
                Some(constant) => format!("if `{}`", constant.name),
                None => "by function constants".to_owned(),
            }
        }
        None if arg.unused => "not used".to_owned(),
        None => "yes".to_owned(),
    }
}

/// Tables of the structures behind buffers.
fn members(kernel: &KernelInfo, output: &Output) {
    for arg in &kernel.args {
        let (ArgRole::Buffer(buffer) | ArgRole::IndirectBuffer(buffer)) = &arg.role else { continue };
        if buffer.members.is_empty() {
            continue;
        }
        output.line(format!("struct {} (`{}`)", arg.type_name, arg.name));
        let mut rows = table(&["offset", "bytes", "type", "member"]);
        add_members(&mut rows, &buffer.members, "", 0);
        output.line(rows.to_string());
    }
}

fn add_members(rows: &mut comfy_table::Table, members: &[StructMember], prefix: &str, base: u32) {
    for member in members {
        let array =
            if member.array_length > 0 { format!("[{}]", member.array_length) } else { String::new() };
        rows.add_row([
            (base + member.offset).to_string(),
            member.size.to_string(),
            format!("{}{array}", member.type_name),
            format!("{prefix}{}", member.name),
        ]);
        add_members(rows, &member.members, &format!("{prefix}{}.", member.name), base + member.offset);
    }
}

/// Bytes of threadgroup memory that the kernel declares.
fn threadgroup_memory(function: &Function) -> u64 {
    let globals = function.module().globals.iter();
    let shared = globals.filter(|global| global.space == AddressSpace::THREADGROUP);
    shared.fold(0, |total: u64, global| {
        let align = u64::from(global.align.max(Layout::align(&global.ty)));
        total.next_multiple_of(align).saturating_add(Layout::alloc_size(&global.ty))
    })
}

/// Blocks and instructions of all functions.
fn code_size(function: &Function) -> (usize, usize) {
    let blocks = || function.module().functions.iter().flat_map(|function| &function.blocks);
    (blocks().count(), blocks().map(|block| block.insts.len() + 1).sum())
}

fn describe(function: &Function) -> Value {
    let kernel = function.kernel_info();
    let info = function.module_info();
    let (blocks, instructions) = code_size(function);
    let constants = function.function_constants().iter().map(|constant| {
        json!({
            "index": constant.index,
            "name": &*constant.name,
            "type": &*constant.type_name,
            "required": constant.required,
        })
    });
    json!({
        "name": function.name(),
        "air_version": format!("{}.{}", info.air_version.0, info.air_version.1),
        "language_version": format!("{}.{}", info.language_version.0, info.language_version.1),
        "fast_math": info.fast_math,
        "f32_denormals_flushed": info.denorms_disabled,
        "max_total_threads_per_threadgroup": kernel.max_threads_per_threadgroup,
        "threadgroup_memory_bytes": threadgroup_memory(function),
        "blocks": blocks,
        "instructions": instructions,
        "arguments": kernel.args.iter().map(|arg| describe_arg(function, arg)).collect::<Vec<_>>(),
        "function_constants": constants.collect::<Vec<_>>(),
    })
}

fn describe_arg(function: &Function, arg: &KernelArg) -> Value {
    let mut value = json!({
        "name": &*arg.name,
        "type": &*arg.type_name,
        "exists": exists(function, arg),
    });
    let details = match &arg.role {
        ArgRole::Buffer(buffer) | ArgRole::IndirectBuffer(buffer) => json!({
            "kind": match (&arg.role, buffer.space) {
                (_, AddressSpace::THREADGROUP) => "threadgroup",
                (ArgRole::IndirectBuffer(_), _) => "argument_buffer",
                _ => "buffer",
            },
            "index": buffer.location,
            "count": buffer.count,
            "address_space": buffer.space.name(),
            "access": access_name(buffer.access),
            "size_bytes": buffer.size,
            "element_size_bytes": buffer.type_size,
            "element_align_bytes": buffer.type_align,
            "members": buffer.members.iter().map(describe_member).collect::<Vec<_>>(),
        }),
        ArgRole::VisibleFunctionTable { location } => {
            json!({ "kind": "visible_function_table", "index": location })
        }
        ArgRole::Builtin(builtin) => {
            json!({ "kind": "builtin", "builtin": builtin.role().trim_start_matches("air.") })
        }
    };
    if let (Some(value), Value::Object(details)) = (value.as_object_mut(), details) {
        value.extend(details);
    }
    value
}

fn describe_member(member: &StructMember) -> Value {
    json!({
        "offset": member.offset,
        "size_bytes": member.size,
        "array_length": member.array_length,
        "type": &*member.type_name,
        "name": &*member.name,
        "members": member.members.iter().map(describe_member).collect::<Vec<_>>(),
    })
}
