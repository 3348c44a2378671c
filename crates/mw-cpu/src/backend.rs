//! The backend and its kernels.

use std::io::Write as _;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mw_air::schema::{KernelInfo, ModuleInfo};
use mw_air::{AddressSpace, Constant, Layout, Module, PrintOptions, ValueDef};
use mw_backend::{Backend, CompileError, Kernel, Launch, LaunchError};
use mw_llvm::Timings;
use mw_passes::abi::{KERNEL_SYMBOL, ThreadgroupShape};

use crate::cache::{Cache, Key};
use crate::code::LoadedCode;
use crate::launch::{CompiledKernel, KernelFacts, PreparedLaunch, Settings};
use crate::options::{CpuOptions, OptionsError};
use crate::pipeline::{Pipeline, Stage};
use crate::pool::Pool;
use crate::symbols;
use crate::watchdog::Watch;

/// Compiles kernels for this machine and runs them on its cores.
#[derive(Clone, Debug)]
pub struct CpuBackend {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: CpuOptions,
    pool: Pool,
    cache: Option<Cache>,
}

impl CpuBackend {
    /// A backend with its own threads.
    pub fn new(options: CpuOptions) -> Self {
        let pool = Pool::new(options.threads);
        let cache = options.cache_folder.clone().map(|folder| Cache::new(folder, options.cache_bytes));
        Self { shared: Arc::new(Shared { options, pool, cache }) }
    }

    /// A backend with the settings of the environment.
    pub fn from_environment() -> Result<Self, OptionsError> {
        Ok(Self::new(CpuOptions::from_environment()?))
    }

    /// Its settings.
    pub fn options(&self) -> &CpuOptions {
        &self.shared.options
    }

    /// The text of one stage of compilation. Function constants must be set in `module`.
    pub fn stage(
        &self,
        module: &Module,
        info: &ModuleInfo,
        kernel: usize,
        shape: ThreadgroupShape,
        stage: Stage,
    ) -> Result<String, CompileError> {
        self.pipeline(module, info, kernel, shape).text(stage)
    }

    /// Compiles without cache and gives the time of each step, and the size of the object.
    pub fn time_compilation(
        &self,
        module: &Module,
        info: &ModuleInfo,
        kernel: usize,
        shape: ThreadgroupShape,
    ) -> Result<(Timings, usize), CompileError> {
        let mut pipeline = self.pipeline(module, info, kernel, shape);
        let (facts, object) = pipeline.object()?;
        let size = object.len();
        let mut timings = std::mem::take(&mut pipeline.timings);
        timings.time("load", || load(&info.kernels[kernel], facts, &object))?;
        Ok((timings, size))
    }

    /// The compiled object of a kernel, for another machine perhaps.
    pub fn object(
        &self,
        module: &Module,
        info: &ModuleInfo,
        kernel: usize,
        shape: ThreadgroupShape,
    ) -> Result<Vec<u8>, CompileError> {
        Ok(self.pipeline(module, info, kernel, shape).object()?.1)
    }

    fn pipeline<'a>(
        &'a self,
        module: &'a Module,
        info: &'a ModuleInfo,
        kernel: usize,
        shape: ThreadgroupShape,
    ) -> Pipeline<'a> {
        let target = &self.shared.options.target;
        Pipeline { module, info, kernel: &info.kernels[kernel], shape, target, timings: Timings::default() }
    }
}

impl Backend for CpuBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn compile(
        &self,
        module: &Arc<Module>,
        info: &Arc<ModuleInfo>,
        kernel: usize,
    ) -> Result<Arc<dyn Kernel>, CompileError> {
        Ok(Arc::new(self.kernel(module, info, kernel)))
    }
}

impl CpuBackend {
    /// A kernel, whose code is made when a launch first needs it.
    pub fn kernel(&self, module: &Arc<Module>, info: &Arc<ModuleInfo>, kernel: usize) -> CpuKernel {
        CpuKernel {
            backend: self.clone(),
            module: Arc::clone(module),
            info: Arc::clone(info),
            kernel,
            threadgroup_bytes: declared_threadgroup_bytes(module),
            code: Default::default(),
        }
    }
}

/// A kernel of the CPU backend: code for each shape of threadgroups that it meets.
#[derive(Debug)]
pub struct CpuKernel {
    backend: CpuBackend,
    module: Arc<Module>,
    info: Arc<ModuleInfo>,
    kernel: usize,
    threadgroup_bytes: u32,
    /// By shape, made when first needed.
    code: [OnceLock<Result<Arc<CompiledKernel>, CompileError>>; ThreadgroupShape::COUNT],
}

impl CpuKernel {
    /// The same kernel on the threads of another backend for the same machine. Code that was made is shared.
    #[must_use]
    pub fn on(&self, backend: &CpuBackend) -> Self {
        Self {
            backend: backend.clone(),
            module: Arc::clone(&self.module),
            info: Arc::clone(&self.info),
            kernel: self.kernel,
            threadgroup_bytes: self.threadgroup_bytes,
            code: self.code.clone(),
        }
    }

    /// Makes the code for a shape now, instead of at the first launch.
    pub fn prepare(&self, shape: ThreadgroupShape) -> Result<(), CompileError> {
        self.compiled(shape).map(|_| ())
    }

    fn compiled(&self, shape: ThreadgroupShape) -> Result<Arc<CompiledKernel>, CompileError> {
        self.code[shape.index()].get_or_init(|| self.make(shape).map(Arc::new)).clone()
    }

    fn make(&self, shape: ThreadgroupShape) -> Result<CompiledKernel, CompileError> {
        let shared = &self.backend.shared;
        let kernel = self.info();
        let cached = shared.cache.as_ref().map(|cache| (cache, self.key(shape)));
        if let Some((cache, key)) = &cached
            && let Some((facts, object)) = cache.load(key)
            && let Ok(compiled) = load(kernel, facts, &object)
        {
            return Ok(compiled);
        }
        let mut pipeline = self.backend.pipeline(&self.module, &self.info, self.kernel, shape);
        let (facts, object) = pipeline.object()?;
        if shared.options.debug > 0 {
            self.report(shape, &pipeline.timings, object.len());
        }
        if let Some((cache, key)) = &cached {
            cache.store(key, &facts, &object);
        }
        load(kernel, facts, &object)
    }

    /// Everything that the code depends on.
    fn key(&self, shape: ThreadgroupShape) -> Key {
        let target = &self.backend.shared.options.target;
        Key::new(&[
            env!("MW_PIPELINE_FINGERPRINT").as_bytes(),
            format!("{:?}", mw_llvm::llvm_version()).as_bytes(),
            target.triple.as_bytes(),
            target.cpu.as_bytes(),
            target.features.as_bytes(),
            shape.name().as_bytes(),
            self.info().name.as_bytes(),
            mw_air::print(&self.module, &PrintOptions { debug: false, ..PrintOptions::default() }).as_bytes(),
        ])
    }

    /// Writes what `MW_DEBUG` asks for to the standard error stream.
    fn report(&self, shape: ThreadgroupShape, timings: &Timings, object_bytes: usize) {
        let mut out = std::io::stderr().lock();
        // A closed standard error stream is no reason to fail.
        let _ = writeln!(
            out,
            "mw: {} ({shape:?}): {:?}, {object_bytes} bytes of code: {:?}",
            self.info().name,
            timings.total(),
            timings.0
        );
        let stages = [(2, Stage::Scalar), (3, Stage::Simd), (4, Stage::Asm)];
        for (_, stage) in stages.iter().filter(|(level, _)| *level <= self.backend.options().debug) {
            let mut pipeline = self.backend.pipeline(&self.module, &self.info, self.kernel, shape);
            if let Ok(text) = pipeline.text(*stage) {
                let _ = writeln!(out, "mw: {} {stage:?}\n{text}", self.info().name);
            }
        }
    }
}

/// Places an object in memory.
fn load(kernel: &KernelInfo, facts: KernelFacts, object: &[u8]) -> Result<CompiledKernel, CompileError> {
    let code = LoadedCode::load(object, KERNEL_SYMBOL, &symbols::address).map_err(|error| {
        CompileError::Internal { kernel: kernel.name.to_string(), stage: "load", message: error.to_string() }
    })?;
    Ok(CompiledKernel { code, facts })
}

impl Kernel for CpuKernel {
    fn info(&self) -> &KernelInfo {
        &self.info.kernels[self.kernel]
    }

    fn static_threadgroup_memory(&self) -> u32 {
        self.threadgroup_bytes
    }

    fn run(&self, launch: &Launch<'_>) -> Result<(), LaunchError> {
        let options = self.backend.options();
        let settings = Settings {
            flush_denormals: self.info.denorms_disabled,
            clear_memory: options.clear_threadgroup_memory,
            stack_bytes: options.stack_bytes,
        };
        let prepared = PreparedLaunch::new(launch, &settings, |shape| self.compiled(shape))?;
        let limit = launch.time_limit.unwrap_or(options.time_limit);
        run_watched(&self.backend.shared.pool, prepared, limit, &self.info().name)
    }
}

/// Runs a launch under the watchdog.
pub(crate) fn run_watched(
    pool: &Pool,
    launch: PreparedLaunch,
    limit: Duration,
    kernel: &str,
) -> Result<(), LaunchError> {
    let watch = Watch::new(&launch.stop, limit);
    let result = pool.run(launch);
    if watch.expired() {
        return Err(LaunchError::Watchdog { kernel: kernel.into(), limit: format!("{limit:?}") });
    }
    result.map_err(|fault| LaunchError::Fault { kernel: kernel.into(), message: fault.message() })
}

/// Bytes of threadgroup memory that functions of the module name.
pub(crate) fn declared_threadgroup_bytes(module: &Module) -> u32 {
    let mut used = vec![false; module.globals.len()];
    let mut visit = Vec::new();
    for function in &module.functions {
        for value in function.values() {
            if let ValueDef::Const(constant) = &value.def {
                visit.push(constant.clone());
            }
        }
    }
    while let Some(constant) = visit.pop() {
        match constant {
            Constant::Global(global) => used[global.index()] = true,
            Constant::Aggregate(elements) => visit.extend(elements.iter().map(|e| e.value.clone())),
            Constant::Expr(expr) => match &*expr {
                mw_air::ConstantExpr::Gep { base, .. } => visit.push(base.value.clone()),
                mw_air::ConstantExpr::Cast { value, .. } => visit.push(value.value.clone()),
                mw_air::ConstantExpr::Binary { lhs, rhs, .. } => {
                    visit.extend([lhs.value.clone(), rhs.value.clone()]);
                }
            },
            Constant::Int(_)
            | Constant::Float(_)
            | Constant::Zero
            | Constant::Undef
            | Constant::Poison
            | Constant::Function(_) => {}
        }
    }
    let mut bytes = 0_u64;
    for (global, _) in module
        .globals
        .iter()
        .zip(used)
        .filter(|(global, used)| *used && global.space == AddressSpace::THREADGROUP)
    {
        let align = u64::from(global.align.max(Layout::align(&global.ty)));
        bytes = bytes.next_multiple_of(align).saturating_add(Layout::alloc_size(&global.ty));
    }
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
