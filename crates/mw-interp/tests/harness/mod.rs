//! Kernels from text, and launches over vectors of words.
#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::Arc;

use mw_air::schema::{Access, ArgRole, BufferArg, Builtin, KernelArg, KernelInfo, ModuleInfo};
use mw_air::{AddressSpace, Module, Type};
use mw_backend::{Argument, BufferView, CompileError, Grid, Launch, LaunchError, ThreadgroupOrder};
use mw_interp::{InterpBackend, InterpKernel, Observer, Report};

/// Describes kernel `k` of a module: pointers are buffers, numbers are `builtins` in order.
pub(crate) fn describe(module: &Module, builtins: &[Builtin]) -> ModuleInfo {
    let function = module.function_named("k").expect("a kernel called k");
    let mut builtins = builtins.iter();
    let args = module
        .function(function)
        .ty
        .params
        .iter()
        .enumerate()
        .map(|(index, ty)| {
            let role = match ty {
                Type::Scalar(mw_air::Scalar::Ptr(space)) => ArgRole::Buffer(BufferArg {
                    location: index as u32,
                    count: 1,
                    access: Access::ReadWrite,
                    space: *space,
                    size: None,
                    type_size: None,
                    type_align: None,
                    members: Vec::new(),
                }),
                _ => ArgRole::Builtin(*builtins.next().expect("a builtin for each number")),
            };
            KernelArg {
                role,
                predicate: None,
                type_name: "".into(),
                name: format!("arg{index}").into(),
                unused: false,
            }
        })
        .collect();
    let kernel = KernelInfo { function, name: "k".into(), args, max_threads_per_threadgroup: None };
    ModuleInfo { denorms_disabled: true, kernels: vec![kernel], ..ModuleInfo::default() }
}

pub(crate) fn try_compile(
    text: &str,
    builtins: &[Builtin],
    steps: u64,
) -> Result<InterpKernel, CompileError> {
    let module = mw_air::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let info = describe(&module, builtins);
    InterpBackend { step_limit: steps }.prepare(&Arc::new(module), &Arc::new(info), 0)
}

/// The kernel `k` of a text.
pub(crate) fn compile(text: &str, builtins: &[Builtin]) -> InterpKernel {
    try_compile(text, builtins, 100_000_000).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Memory that a launch may touch, as words.
pub(crate) type Words = Vec<u32>;

pub(crate) fn view(words: &mut [u32]) -> BufferView {
    // SAFETY: the caller keeps the vector alive and untouched while the launch runs.
    #[expect(unsafe_code, reason = "a view is made of an address")]
    unsafe {
        BufferView::new(words.as_mut_ptr().cast(), words.len() * 4)
    }
}

/// Runs a kernel: device and constant pointers take `buffers` in order, threadgroup pointers `shared`
/// bytes.
pub(crate) fn launch(
    kernel: &InterpKernel,
    grid: Grid,
    buffers: &mut [Words],
    shared: u32,
    observer: Option<&mut dyn Observer>,
) -> Result<Report, LaunchError> {
    let mut buffers = buffers.iter_mut();
    let args: Vec<Argument> = mw_backend::Kernel::info(kernel)
        .args
        .iter()
        .map(|arg| match &arg.role {
            ArgRole::Buffer(buffer) if buffer.space == AddressSpace::THREADGROUP => {
                Argument::Threadgroup { length: shared }
            }
            ArgRole::Buffer(_) => match buffers.next() {
                Some(words) => Argument::Buffer(view(words)),
                None => Argument::Absent,
            },
            _ => Argument::Builtin,
        })
        .collect();
    let launch =
        Launch { grid, args: &args, resident: &[], order: ThreadgroupOrder::Ascending, time_limit: None };
    kernel.run_observed(&launch, observer)
}

/// One threadgroup of `threads` in a row.
pub(crate) fn row(threads: u32) -> Grid {
    Grid::of_threads([threads, 1, 1], [threads.max(1), 1, 1])
}

pub(crate) fn f32s(values: &[f32]) -> Words {
    values.iter().map(|value| value.to_bits()).collect()
}

pub(crate) fn as_f32s(words: &[u32]) -> Vec<f32> {
    words.iter().map(|word| f32::from_bits(*word)).collect()
}

/// Runs a body that computes `%r`, an `i32`, from the lane in `%i` and the words `%x` and `%y` at it, for
/// `threads` threads of one threadgroup; gives the results.
pub(crate) fn map_words(declarations: &str, body: &str, threads: u32, x: &[u32], y: &[u32]) -> Words {
    let text = format!(
        "{declarations}\n\
         define void @k(ptr addrspace(1) %out, ptr addrspace(1) %xs, ptr addrspace(1) %ys, i32 %i) {{\n\
         %xp = getelementptr i32, ptr addrspace(1) %xs, i32 %i\n\
         %x = load i32, ptr addrspace(1) %xp\n\
         %yp = getelementptr i32, ptr addrspace(1) %ys, i32 %i\n\
         %y = load i32, ptr addrspace(1) %yp\n\
         {body}\n\
         %rp = getelementptr i32, ptr addrspace(1) %out, i32 %i\n\
         store i32 %r, ptr addrspace(1) %rp\n\
         ret void\n}}\n"
    );
    let kernel = compile(&text, &[Builtin::ThreadIndexInThreadgroup]);
    let mut buffers = [vec![0xdead_beef; threads as usize], x.to_vec(), y.to_vec()];
    launch(&kernel, row(threads), &mut buffers, 0, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    std::mem::take(&mut buffers[0])
}
