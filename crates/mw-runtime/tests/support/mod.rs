//! A backend whose kernels are closures, so that the runtime's own rules can be tested alone.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unnecessary_wraps, reason = "bodies have the signature of a launch")]
#![allow(unreachable_pub, reason = "included in several test crates")]

use std::sync::{Arc, Mutex};

use mw_air::schema::{Access, ArgRole, BufferArg, Builtin, KernelArg, KernelInfo, ModuleInfo};
use mw_air::{AddressSpace, FuncId, Module};
use mw_backend::{Argument, Backend, CompileError, Kernel, Launch, LaunchError};
use mw_machine::Chip;
use mw_runtime::{ComputePipelineState, Device, Function};

type Body = dyn Fn(&Launch<'_>) -> Result<(), LaunchError> + Send + Sync;

/// Compiles every kernel to the same closure.
pub struct Closures {
    body: Arc<Body>,
    static_threadgroup_memory: u32,
}

struct Closure {
    info: KernelInfo,
    body: Arc<Body>,
    static_threadgroup_memory: u32,
}

impl Backend for Closures {
    fn name(&self) -> &'static str {
        "closures"
    }

    fn compile(
        &self,
        _module: &Arc<Module>,
        info: &Arc<ModuleInfo>,
        kernel: usize,
    ) -> Result<Arc<dyn Kernel>, CompileError> {
        Ok(Arc::new(Closure {
            info: info.kernels[kernel].clone(),
            body: self.body.clone(),
            static_threadgroup_memory: self.static_threadgroup_memory,
        }))
    }
}

impl Kernel for Closure {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    fn static_threadgroup_memory(&self) -> u32 {
        self.static_threadgroup_memory
    }

    fn run(&self, launch: &Launch<'_>) -> Result<(), LaunchError> {
        (self.body)(launch)
    }
}

pub fn device(body: impl Fn(&Launch<'_>) -> Result<(), LaunchError> + Send + Sync + 'static) -> Device {
    device_with_memory(0, body)
}

pub fn device_with_memory(
    static_threadgroup_memory: u32,
    body: impl Fn(&Launch<'_>) -> Result<(), LaunchError> + Send + Sync + 'static,
) -> Device {
    let backend = Closures { body: Arc::new(body), static_threadgroup_memory };
    Device::with_chip(Arc::new(backend), Chip::from_setting(None).expect("default chip"))
}

pub fn buffer_arg(name: &str, location: u32) -> KernelArg {
    KernelArg {
        role: ArgRole::Buffer(BufferArg {
            location,
            count: 1,
            access: Access::ReadWrite,
            space: AddressSpace::DEVICE,
            size: None,
            type_size: Some(4),
            type_align: Some(4),
            members: Vec::new(),
        }),
        predicate: None,
        type_name: "float".into(),
        name: name.into(),
        unused: false,
    }
}

/// A `constant` reference of known extent.
pub fn reference_arg(name: &str, location: u32, size: u32) -> KernelArg {
    let mut arg = buffer_arg(name, location);
    if let ArgRole::Buffer(buffer) = &mut arg.role {
        buffer.size = Some(size);
        buffer.space = AddressSpace::CONSTANT;
        buffer.access = Access::Read;
    }
    arg
}

pub fn threadgroup_arg(name: &str, location: u32) -> KernelArg {
    let mut arg = buffer_arg(name, location);
    if let ArgRole::Buffer(buffer) = &mut arg.role {
        buffer.space = AddressSpace::THREADGROUP;
    }
    arg
}

pub fn position_arg() -> KernelArg {
    KernelArg {
        role: ArgRole::Builtin(Builtin::ThreadPositionInGrid),
        predicate: None,
        type_name: "uint".into(),
        name: "gid".into(),
        unused: false,
    }
}

pub fn function(args: Vec<KernelArg>, max_threads: Option<u32>) -> Function {
    let kernel =
        KernelInfo { function: FuncId(0), name: "k".into(), args, max_threads_per_threadgroup: max_threads };
    let info = ModuleInfo { kernels: vec![kernel], ..ModuleInfo::default() };
    Function::of_module("k", Module::default(), info).expect("the kernel is there")
}

pub fn pipeline(device: &Device, args: Vec<KernelArg>) -> ComputePipelineState {
    device.new_compute_pipeline_state(&function(args, None)).expect("compiles")
}

/// Adds 1 to every 32-bit number of the first argument.
pub fn increment(launch: &Launch<'_>) -> Result<(), LaunchError> {
    let Argument::Buffer(view) = &launch.args[0] else { panic!("a buffer") };
    for offset in (0..view.len() / 4 * 4).step_by(4) {
        let mut bytes = [0; 4];
        view.read(offset, &mut bytes).expect("inside");
        view.write(offset, &(u32::from_le_bytes(bytes) + 1).to_le_bytes()).expect("inside");
    }
    Ok(())
}

/// A list that closures append to.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u64>>>);

impl Log {
    pub fn push(&self, entry: u64) {
        self.0.lock().expect("log").push(entry);
    }

    pub fn entries(&self) -> Vec<u64> {
        self.0.lock().expect("log").clone()
    }
}
