//! Launches: arguments from settings and bytes, a bounded run, and what came of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use mw_air::schema::{Access, ArgRole, BufferArg, KernelArg, KernelInfo, ModuleInfo};
use mw_air::{AddressSpace, Module};
use mw_backend::{Argument, BufferView, ConstantValues, Grid, Launch as Shape, ThreadgroupOrder};
use mw_interp::{Counts, InterpBackend, Observer, Report, Work};
use mw_manifest::{Dtype, GridSize, Key, Launch, Tensor, Value as Given, compare};
use serde_json::{Value, json};

use crate::frame::Bytes;
use crate::program::Compiled;
use crate::request::Run;
use crate::trace::Recorder;

/// Steps of a run, unless the request says less.
const STEP_LIMIT: u64 = 200_000_000;
/// Bytes of all arguments, unless the request says less.
const MEMORY_LIMIT: u64 = 64 << 20;
/// Threads of a threadgroup.
const MAX_THREADS: u64 = 1024;
/// Bytes of threadgroup memory.
const MAX_THREADGROUP: u64 = 32 << 10;

/// A buffer of the kernel.
struct Bound {
    index: u32,
    name: String,
    type_name: String,
    is_written: bool,
    dtype: Dtype,
    shape: Vec<usize>,
    /// Contents; sixteen bytes at a time, so that vectors are aligned.
    words: Vec<u128>,
    length: usize,
}

impl Bound {
    fn view(&mut self) -> BufferView {
        view(&mut self.words, self.length)
    }

    fn tensor(&self) -> Tensor {
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes()).take(self.length).collect();
        Tensor { dtype: self.dtype, shape: self.shape.clone(), bytes }
    }
}

/// A view of a buffer's bytes.
#[expect(unsafe_code, reason = "buffers are handed to the kernel as addresses")]
fn view(words: &mut [u128], length: usize) -> BufferView {
    debug_assert!(length <= words.len() * 16);
    // SAFETY: the words live until after the run, in a `Bound` that nothing else looks at meanwhile, and hold
    // at least `length` bytes.
    unsafe { BufferView::new(words.as_mut_ptr().cast(), length) }
}

/// Compiles and runs.
pub(crate) fn run(request: &Run, data: &[u8], bytes: &mut Bytes) -> Result<Value, String> {
    let compiled = Compiled::of(&request.source)?;
    let has_errors = compiled.diagnostics.iter().any(mw_diagnostics::Diagnostic::is_error);
    if has_errors {
        return Ok(refuse(&compiled, &compiled.diagnostics));
    }
    let launch = settings(request)?;
    let names = compiled.kernel_names();
    let kernel = match (&launch.kernel, names.as_slice()) {
        (Some(kernel), _) => kernel.clone(),
        (None, [only]) => (*only).to_owned(),
        (None, _) => return Err(format!("say which kernel: {}", names.join(", "))),
    };
    if !names.contains(&kernel.as_str()) {
        return Err(format!("there is no kernel `{kernel}`; there are {}", names.join(", ")));
    }
    let (module, info) = match compiled.lower(&kernel) {
        Ok(lowered) => lowered,
        Err(diagnostic) => return Ok(refuse(&compiled, &[*diagnostic])),
    };
    let (module, active) = specialize(&module, &info, &launch)?;
    let entry = info.kernels.first().ok_or("the module has no kernel")?;
    let grid = grid(&launch)?;
    let mut memory_left = request.memory_limit.unwrap_or(MEMORY_LIMIT).min(MEMORY_LIMIT);
    let mut bound = bind(entry, &active, request, &launch, data, &mut memory_left)?;
    let threadgroup = threadgroup_memory(entry, &active, &launch)?;

    let backend = InterpBackend { step_limit: request.step_limit.unwrap_or(STEP_LIMIT).min(STEP_LIMIT) };
    let module = Arc::new(module);
    let prepared = if request.trace.is_some() {
        backend.prepare_traced(&module, &info, 0)
    } else {
        backend.prepare(&module, &info, 0)
    };
    let prepared = prepared.map_err(|error| error.to_string())?;

    let mut addresses = BTreeMap::new();
    let arguments = arguments(entry, &mut bound, &threadgroup, &mut addresses);
    let order = launch.schedule.map_or(ThreadgroupOrder::Ascending, ThreadgroupOrder::Shuffled);
    let shape = Shape { grid, args: &arguments, resident: &[], order, time_limit: None };
    let mut watch = Watch {
        counts: prepared.counts(),
        recorder: request.trace.as_ref().map(|options| Recorder::new(prepared.module(), options, addresses)),
    };
    let outcome = prepared.run_observed(&shape, Some(&mut watch));

    let mut response = json!({
        "ok": outcome.is_ok(),
        "kernel": kernel,
        "grid": grid.threads,
        "threadgroup": grid.threads_per_threadgroup,
        "counts": describe_counts(&watch.counts),
    });
    let (diagnostics, text) = compiled.describe(&compiled.diagnostics);
    response["diagnostics"] = diagnostics;
    response["text"] = json!(text);
    let report = match outcome {
        Ok(report) => report,
        Err(error) => {
            response["error"] = json!(error.to_string());
            Report::default()
        }
    };
    response["steps"] = json!(report.steps);
    response["findings"] = findings(&report, &prepared);
    response["outputs"] = bound
        .iter()
        .map(|buffer| {
            let tensor = buffer.tensor();
            let mut value = json!({
                "index": buffer.index,
                "name": buffer.name,
                "type": buffer.type_name,
                "dtype": buffer.dtype.name(),
                "shape": buffer.shape,
                "written": buffer.is_written,
                "text": tensor.to_string(),
            });
            value["bytes"] = bytes.push(&tensor.bytes);
            value
        })
        .collect();
    response["checks"] = checks(&launch, &bound)?;
    if let Some(recorder) = watch.recorder {
        response["trace"] = recorder.finish(prepared.module(), bytes);
    }
    Ok(response)
}

/// The answer for a source that does not compile.
fn refuse(compiled: &Compiled, list: &[mw_diagnostics::Diagnostic]) -> Value {
    let (diagnostics, text) = compiled.describe(list);
    json!({ "ok": false, "diagnostics": diagnostics, "text": text })
}

fn settings(request: &Run) -> Result<Launch, String> {
    let mut launch = Launch::default();
    if let Some(line) = request.line {
        let mut lines = Launch::all_in_comments(&request.source.source).map_err(|error| error.to_string())?;
        if line >= lines.len() {
            return Err(format!("the source has {} `// run:` lines, none of number {line}", lines.len()));
        }
        launch = lines.swap_remove(line);
    }
    for (key, value) in &request.launch {
        launch.set(key, value).map_err(|error| error.to_string())?;
    }
    Ok(launch)
}

/// Settings of a launch as JSON, in the words of the grammar.
pub(crate) fn describe(launch: &Launch) -> Value {
    let mut all = BTreeMap::new();
    let extents = |sizes: [usize; 3]| sizes.map(|size| size.to_string()).join(",");
    if let Some(kernel) = &launch.kernel {
        all.insert("kernel".to_owned(), kernel.clone());
    }
    match launch.grid {
        Some(GridSize::Threads(sizes)) => drop(all.insert("grid".to_owned(), extents(sizes))),
        Some(GridSize::Threadgroups(sizes)) => drop(all.insert("threadgroups".to_owned(), extents(sizes))),
        None => {}
    }
    if let Some(sizes) = launch.threadgroup {
        all.insert("threadgroup".to_owned(), extents(sizes));
    }
    all.extend(launch.args.iter().map(|(key, value)| (format!("arg.{key}"), value.to_string())));
    all.extend(launch.constants.iter().map(|(key, value)| (format!("constant.{key}"), value.to_string())));
    all.extend(
        (launch.threadgroup_memory.iter())
            .map(|(index, length)| (format!("threadgroup_memory.{index}"), length.to_string())),
    );
    all.extend(launch.expect.iter().map(|(key, value)| (format!("expect.{key}"), value.to_string())));
    if let Some(seed) = launch.seed {
        all.insert("seed".to_owned(), seed.to_string());
    }
    json!(all)
}

fn specialize(module: &Module, info: &ModuleInfo, launch: &Launch) -> Result<(Module, Vec<bool>), String> {
    let mut values = ConstantValues::new();
    for (key, text) in &launch.constants {
        let declared = &info.function_constants;
        let Some(constant) = declared.iter().find(|it| key.means(it.index, &it.name)) else {
            return Err(format!("the kernel has no function constant `{key}`"));
        };
        let bytes = text
            .to_bytes(&constant.type_name)
            .map_err(|reason| format!("function constant `{}`: {reason}", constant.name))?;
        let mut bits = [0; 8];
        let size = bytes.len();
        bits.get_mut(..size).ok_or("a constant of more than eight bytes")?.copy_from_slice(&bytes);
        values.set(constant.index, u64::from_le_bytes(bits), size as u8);
    }
    let mut module = module.clone();
    let report =
        mw_passes::specialize::specialize(&mut module, info, &values).map_err(|error| error.to_string())?;
    let active = report.active_args.into_iter().next().unwrap_or_default();
    Ok((module, active))
}

fn grid(launch: &Launch) -> Result<Grid, String> {
    let threadgroup = launch.threadgroup.ok_or("say `threadgroup`: threads of a threadgroup")?;
    let sizes = launch.grid.ok_or("say `grid` (threads) or `threadgroups`")?;
    let narrow = |sizes: [usize; 3]| -> Result<[u32; 3], String> {
        let mut narrow = [0; 3];
        for (slot, size) in narrow.iter_mut().zip(sizes) {
            *slot =
                u32::try_from(size).ok().filter(|size| *size > 0).ok_or("sizes are from 1 to 2^32 - 1")?;
        }
        Ok(narrow)
    };
    let threadgroup = narrow(threadgroup)?;
    let count: u64 = threadgroup.iter().map(|size| u64::from(*size)).product();
    if count > MAX_THREADS {
        return Err(format!("a threadgroup has at most {MAX_THREADS} threads, not {count}"));
    }
    let grid = match sizes {
        GridSize::Threads(threads) => Grid::of_threads(narrow(threads)?, threadgroup),
        GridSize::Threadgroups(groups) => Grid::of_threadgroups(narrow(groups)?, threadgroup),
    };
    // Empty threadgroups cost time too, which steps do not count.
    let groups: u128 = grid.threadgroups().iter().map(|count| u128::from(*count)).product();
    if groups > 1 << 20 {
        return Err(format!("a run here has at most {} threadgroups, not {groups}", 1 << 20));
    }
    Ok(grid)
}

/// The buffer of an argument that the host binds by index.
fn buffer_of(argument: &KernelArg) -> Result<Option<&BufferArg>, String> {
    match &argument.role {
        ArgRole::Buffer(buffer) if buffer.space == AddressSpace::THREADGROUP => Ok(None),
        ArgRole::Buffer(buffer) => Ok(Some(buffer)),
        ArgRole::Builtin(_) => Ok(None),
        ArgRole::IndirectBuffer(_) | ArgRole::VisibleFunctionTable { .. } => Err(format!(
            "argument `{}` is an argument buffer or function table: the browser runs no kernels with those",
            argument.name
        )),
    }
}

fn bind(
    entry: &KernelInfo,
    active: &[bool],
    request: &Run,
    launch: &Launch,
    data: &[u8],
    memory_left: &mut u64,
) -> Result<Vec<Bound>, String> {
    let given: BTreeMap<Key, _> =
        request.buffers.iter().map(|(name, buffer)| (Key::parse(name), buffer)).collect();
    check_names(entry, launch.args.keys().chain(given.keys()))?;
    let mut all: Vec<Bound> = Vec::new();
    for (position, argument) in entry.args.iter().enumerate() {
        if !active.get(position).copied().unwrap_or(true) {
            continue;
        }
        let Some(buffer) = buffer_of(argument)? else { continue };
        let index = buffer.location;
        if all.iter().any(|bound| bound.index == index) {
            continue;
        }
        let means = |key: &Key| key.means(index, &argument.name);
        let mut spend = |size: u64| match memory_left.checked_sub(size) {
            Some(left) => {
                *memory_left = left;
                Ok(())
            }
            None => Err(format!("argument `{}` has {size} bytes: more than a run may have", argument.name)),
        };
        let tensor = if let Some((_, given)) = given.iter().find(|(key, _)| means(key)) {
            spend(given.length as u64)?;
            raw(&argument.name, given, data)?
        } else if let Some((key, value)) = launch.args.iter().find(|(key, _)| means(key)) {
            spend(size_of(value).ok_or("the browser reads no files: give the bytes as a buffer")?)?;
            let seed = launch.seed.unwrap_or(0);
            value.make(&key.to_string(), seed, Path::new("")).map_err(|error| error.to_string())?
        } else if argument.unused {
            continue;
        } else {
            return Err(format!(
                "argument `{}` (`{}`, buffer index {index}) has no value",
                argument.name, argument.type_name
            ));
        };
        if let Some(size) = buffer.size
            && tensor.bytes.len() < size as usize
        {
            return Err(format!(
                "argument `{}` has {size} bytes, but {} were given",
                argument.name,
                tensor.bytes.len()
            ));
        }
        let mut words = vec![0_u128; tensor.bytes.len().div_ceil(16).max(1)];
        for (word, chunk) in words.iter_mut().zip(tensor.bytes.chunks(16)) {
            let mut bytes = [0; 16];
            bytes[..chunk.len()].copy_from_slice(chunk);
            *word = u128::from_le_bytes(bytes);
        }
        all.push(Bound {
            index,
            name: argument.name.to_string(),
            type_name: argument.type_name.to_string(),
            is_written: buffer.access != Access::Read,
            dtype: tensor.dtype,
            shape: tensor.shape,
            length: tensor.bytes.len(),
            words,
        });
    }
    Ok(all)
}

fn check_names<'a>(entry: &KernelInfo, keys: impl Iterator<Item = &'a Key>) -> Result<(), String> {
    for key in keys {
        let is_known = entry.args.iter().any(|argument| match &argument.role {
            ArgRole::Buffer(buffer) => key.means(buffer.location, &argument.name),
            _ => false,
        });
        if !is_known {
            return Err(format!("kernel `{}` has no buffer argument `{key}`", entry.name));
        }
    }
    Ok(())
}

/// Bytes that a value will have; `None` for a file.
fn size_of(value: &Given) -> Option<u64> {
    match value {
        Given::Literal(tensor) => Some(tensor.bytes.len() as u64),
        Given::Generated { dtype, shape, .. } => {
            let size = dtype.size() as u64;
            Some(shape.iter().fold(size, |size, extent| size.saturating_mul(*extent as u64)))
        }
        // With room for padding.
        Given::Struct(members) => members
            .iter()
            .try_fold(0_u64, |sum, member| Some(sum.saturating_add(size_of(member)?.saturating_add(8)))),
        Given::File(_) => None,
    }
}

fn raw(name: &str, given: &crate::request::Buffer, data: &[u8]) -> Result<Tensor, String> {
    let dtype = Dtype::from_name(&given.dtype)
        .ok_or_else(|| format!("argument `{name}`: `{}` is no element type", given.dtype))?;
    let bytes = given
        .offset
        .checked_add(given.length)
        .and_then(|end| data.get(given.offset..end))
        .ok_or_else(|| format!("argument `{name}`: its bytes lie outside of the request"))?;
    let count = bytes.len() / dtype.size();
    let shape = given.shape.clone().unwrap_or_else(|| vec![count]);
    let elements = shape.iter().try_fold(1_usize, |product, extent| product.checked_mul(*extent));
    if elements != Some(count) || bytes.len() != count * dtype.size() {
        return Err(format!("argument `{name}`: {} bytes are no {dtype}{shape:?}", bytes.len()));
    }
    Ok(Tensor { dtype, shape, bytes: bytes.to_vec() })
}

/// Lengths of the threadgroup arguments by index.
fn threadgroup_memory(
    entry: &KernelInfo,
    active: &[bool],
    launch: &Launch,
) -> Result<BTreeMap<u32, u32>, String> {
    let mut lengths = BTreeMap::new();
    let mut sum = 0_u64;
    for (position, argument) in entry.args.iter().enumerate() {
        let ArgRole::Buffer(buffer) = &argument.role else { continue };
        let is_active = active.get(position).copied().unwrap_or(true);
        if buffer.space != AddressSpace::THREADGROUP || !is_active {
            continue;
        }
        let length = launch.threadgroup_memory.get(&buffer.location).copied();
        let Some(length) = length.or(argument.unused.then_some(0)) else {
            return Err(format!(
                "argument `{}` needs `threadgroup_memory.{}`: its bytes",
                argument.name, buffer.location
            ));
        };
        sum += length as u64;
        lengths.insert(buffer.location, length as u32);
    }
    if sum > MAX_THREADGROUP {
        return Err(format!("{sum} bytes of threadgroup memory are more than {MAX_THREADGROUP}"));
    }
    Ok(lengths)
}

fn arguments(
    entry: &KernelInfo,
    bound: &mut [Bound],
    threadgroup: &BTreeMap<u32, u32>,
    addresses: &mut BTreeMap<u64, (u32, u64)>,
) -> Vec<Argument> {
    let mut arguments = Vec::new();
    for argument in &entry.args {
        arguments.push(match &argument.role {
            ArgRole::Buffer(buffer) if buffer.space == AddressSpace::THREADGROUP => {
                match threadgroup.get(&buffer.location) {
                    Some(length) => Argument::Threadgroup { length: *length },
                    None => Argument::Absent,
                }
            }
            ArgRole::Buffer(buffer) => match bound.iter_mut().find(|bound| bound.index == buffer.location) {
                Some(bound) => {
                    let view = bound.view();
                    addresses.insert(view.address(), (bound.index, view.len() as u64));
                    Argument::Buffer(view)
                }
                None => Argument::Absent,
            },
            ArgRole::Builtin(_) => Argument::Builtin,
            ArgRole::IndirectBuffer(_) | ArgRole::VisibleFunctionTable { .. } => Argument::Absent,
        });
    }
    arguments
}

/// Counts always, records on request.
struct Watch {
    counts: Counts,
    recorder: Option<Recorder>,
}

macro_rules! both {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        $(fn $name(&mut self, $($arg: $ty),*) {
            self.counts.$name($($arg),*);
            if let Some(recorder) = &mut self.recorder {
                recorder.$name($($arg),*);
            }
        })*
    };
}

impl Observer for Watch {
    both! {
        begin_threadgroup(position: [u32; 3], size: [u32; 3]);
        enter_block(at: &mw_interp::Position, mask: u32);
        load(at: &mw_interp::Position, access: &mw_interp::Access<'_>);
        store(at: &mw_interp::Position, access: &mw_interp::Access<'_>);
        atomic(at: &mw_interp::Position, access: &mw_interp::Access<'_>);
        values(at: &mw_interp::Position, mask: u32, rows: &[&[u64; 32]], undef: u32);
        stored(at: &mw_interp::Position, mask: u32, row: &[u64; 32]);
        phase(threadgroup: [u32; 3], memory: &mw_interp::ThreadgroupMemory<'_>);
        barrier(at: &mw_interp::Position, mask: u32);
        call(at: &mw_interp::Position, callee: mw_air::FuncId, mask: u32);
        ret(at: &mw_interp::Position, mask: u32);
        finding(at: &mw_interp::Position, kind: mw_interp::FindingKind, mask: u32);
    }
}

fn describe_counts(counts: &Counts) -> Value {
    let lines: BTreeMap<String, Value> =
        counts.lines.iter().map(|(line, work)| (line.to_string(), describe_work(work))).collect();
    let mut value = describe_work(&counts.total);
    value["lines"] = json!(lines);
    value
}

/// Figures as objects in objects, by the points of their names.
fn describe_work(work: &Work) -> Value {
    let mut all = json!({});
    for (name, figure) in work.figures() {
        let mut at = &mut all;
        for part in name.split('.') {
            at = &mut at[part];
        }
        *at = json!(figure);
    }
    all
}

fn findings(report: &Report, kernel: &mw_interp::InterpKernel) -> Value {
    let list: Vec<Value> = (report.findings.iter())
        .map(|finding| {
            json!({
                "message": finding.kind.describe(),
                "place": kernel.source_of(&finding.first),
                "threadgroup": finding.first.threadgroup,
                "simdgroup": finding.first.simdgroup,
                "mask": finding.mask,
                "count": finding.count,
            })
        })
        .collect();
    json!(list)
}

/// What the launch expects of arguments, and whether it is so. Values in files are passed over.
fn checks(launch: &Launch, bound: &[Bound]) -> Result<Value, String> {
    let mut list = Vec::new();
    for buffer in bound {
        let expected = launch.expect.iter().find(|(key, _)| key.means(buffer.index, &buffer.name));
        let Some((key, value)) = expected else { continue };
        if size_of(value).is_none_or(|size| size > MEMORY_LIMIT) {
            continue;
        }
        let error = |error: mw_manifest::ManifestError| error.to_string();
        let wanted = value.make(&key.to_string(), launch.seed.unwrap_or(0), Path::new("")).map_err(error)?;
        let tolerance = launch.tolerance_of(buffer.index, &buffer.name);
        let outcome = compare(&buffer.tensor(), &wanted, tolerance).map_err(error)?;
        list.push(json!({
            "name": buffer.name,
            "ok": outcome.passes(),
            "count": outcome.count,
            "mismatches": outcome.mismatches,
            "first": outcome.first.map(|(index, actual, expected)| {
                json!({ "index": index, "actual": actual, "expected": expected })
            }),
        }));
    }
    Ok(json!(list))
}
