//! Kernels: compiling them, and running launches.

use std::borrow::Cow;
use std::sync::Arc;

use mw_air::schema::{ArgRole, Builtin, KernelInfo, ModuleInfo};
use mw_air::{Function, Module, Scalar, Type};
use mw_backend::{Argument, Backend, CompileError, Kernel, Launch, LaunchError};

use crate::decode::{DecodeError, decode};
use crate::exec::{Limits, Machine, Simdgroup, Stop, Threadgroup};
use crate::memory::{Memory, Region, THREADGROUP, absent_address};
use crate::observe::{Finding, Observer, Position};
use crate::program::{LANES, Program, Row};
use crate::shadow::Shadowed;

/// Steps after which a launch is stopped, unless told otherwise.
const DEFAULT_STEPS: u64 = 1 << 34;

/// Threads of a threadgroup that Metal allows.
const MAX_THREADS: u32 = 1024;

/// Steps of a constructor.
const CONSTRUCTOR_STEPS: u64 = 1 << 24;

/// The interpreter as a backend.
#[derive(Clone, Copy, Debug)]
pub struct InterpBackend {
    /// Operations, counted for each simdgroup, after which the watchdog stops a launch.
    pub step_limit: u64,
}

impl Default for InterpBackend {
    fn default() -> Self {
        Self { step_limit: DEFAULT_STEPS }
    }
}

impl InterpBackend {
    /// As [`Backend::compile`], but gives the kernel by its own type.
    pub fn prepare(
        &self,
        module: &Arc<Module>,
        info: &Arc<ModuleInfo>,
        kernel: usize,
    ) -> Result<InterpKernel, CompileError> {
        self.prepare_with(module, info, kernel, false)
    }

    /// As [`Self::prepare`], for a run whose observer wants the value of every instruction that has a
    /// position in the source.
    pub fn prepare_traced(
        &self,
        module: &Arc<Module>,
        info: &Arc<ModuleInfo>,
        kernel: usize,
    ) -> Result<InterpKernel, CompileError> {
        self.prepare_with(module, info, kernel, true)
    }

    fn prepare_with(
        self,
        module: &Arc<Module>,
        info: &Arc<ModuleInfo>,
        kernel: usize,
        telling: bool,
    ) -> Result<InterpKernel, CompileError> {
        let Some(entry) = info.kernels.get(kernel) else {
            return Err(CompileError::Invalid {
                kernel: format!("number {kernel}"),
                message: format!("the module has {} kernels", info.kernels.len()),
            });
        };
        let mut linked = Module::clone(module);
        link(&mut linked, entry)?;
        InterpKernel::new(linked, module, info, kernel, self.step_limit, telling)
    }
}

/// Gives bodies to library functions.
fn link(module: &mut Module, entry: &KernelInfo) -> Result<(), CompileError> {
    mw_builtins::link(module).map_err(|error| CompileError::Unsupported {
        kernel: entry.name.to_string(),
        feature: error.problems.first().map_or_else(|| error.to_string(), ToString::to_string),
        help: error.to_string(),
    })
}

impl Backend for InterpBackend {
    fn name(&self) -> &'static str {
        "interp"
    }

    fn compile(
        &self,
        module: &Arc<Module>,
        info: &Arc<ModuleInfo>,
        kernel: usize,
    ) -> Result<Arc<dyn Kernel>, CompileError> {
        Ok(Arc::new(self.prepare(module, info, kernel)?))
    }
}

/// What a run tells besides its effect on memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// What the kernel should not have done, in the order of the code.
    pub findings: Vec<Finding>,
    /// Operations executed, counted for each simdgroup.
    pub steps: u64,
}

/// A kernel that is ready to be interpreted.
#[derive(Debug)]
pub struct InterpKernel {
    module: Module,
    /// Functions that had a body before library functions got theirs.
    own_functions: Vec<bool>,
    info: Arc<ModuleInfo>,
    kernel: usize,
    program: Program,
    entry: u32,
    names: Vec<String>,
    step_limit: u64,
}

impl InterpKernel {
    fn new(
        linked: Module,
        original: &Module,
        info: &Arc<ModuleInfo>,
        kernel: usize,
        step_limit: u64,
        telling: bool,
    ) -> Result<Self, CompileError> {
        let entry = &info.kernels[kernel];
        let invalid = |message: String| CompileError::Invalid { kernel: entry.name.to_string(), message };
        let Some(function) = linked.functions.get(entry.function.index()) else {
            return Err(invalid("its function does not exist".into()));
        };
        check_parameters(entry, function).map_err(invalid)?;
        let mut program =
            decode(&linked, &[entry.function], info.denorms_disabled, telling).map_err(|error| {
                let kernel = entry.name.to_string();
                match error {
                    DecodeError::Unsupported { feature, help } => {
                        CompileError::Unsupported { kernel, feature, help }
                    }
                    DecodeError::Invalid(message) => CompileError::Invalid { kernel, message },
                }
            })?;
        let Some(position) = program.position.get(entry.function.index()).copied().flatten() else {
            return Err(invalid("its function was not decoded".into()));
        };
        construct(&mut program, &linked, &entry.name)?;
        let own_functions = original.functions.iter().map(|function| !function.is_declaration()).collect();
        let names = entry.args.iter().map(|arg| arg.name.to_string()).collect();
        Ok(Self {
            module: linked,
            own_functions,
            info: Arc::clone(info),
            kernel,
            program,
            entry: position,
            names,
            step_limit,
        })
    }

    /// The module that runs: library functions have bodies. Positions of events refer to it.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Where in the source something happened, as `file:line:column`, if the module says it.
    pub fn source_of(&self, at: &Position) -> Option<String> {
        let location = crate::exec::location(&self.module, at)?;
        self.module.debug.describe(location)
    }

    /// Counters for a run: an observer.
    pub fn counts(&self) -> crate::Counts {
        let is_own = |id: mw_air::FuncId| self.own_functions.get(id.index()).copied().unwrap_or(false);
        crate::Counts::new(&self.module, &is_own)
    }

    /// Every function that the kernel can reach and that its own module defined, with the blocks that its
    /// entry reaches.
    pub fn own_blocks(&self) -> impl Iterator<Item = (mw_air::FuncId, mw_air::BlockId)> + '_ {
        self.program
            .functions
            .iter()
            .enumerate()
            .filter(|(position, code)| {
                let own = self.own_functions.get(code.id.index()).copied().unwrap_or(false);
                own && !self.program.constructors.contains(&(*position as u32))
            })
            .flat_map(|(_, code)| code.blocks.iter().map(|block| (code.id, block.id)))
    }

    /// As [`Kernel::run`], telling an observer of every event, and the caller of what was found.
    pub fn run_observed(
        &self,
        launch: &Launch<'_>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Report, LaunchError> {
        // The coercion shortens the lifetime inside the trait object.
        let observer = observer.map(|observer| -> &mut dyn Observer { observer });
        let entry = self.info();
        let (regions, offsets, threadgroup_bytes) = self.bind(launch)?;
        let memory = Memory::new(regions, Cow::Borrowed(&self.program.constant_memory));
        let limits = Limits { steps: self.step_limit, time: launch.time_limit };
        let mut machine =
            Machine::new(&self.program, &self.module, &entry.name, &self.names, memory, limits, observer);
        let grid = launch.grid;
        if grid.threads.contains(&0) || grid.threads_per_threadgroup.contains(&0) {
            return Ok(Report::default());
        }
        if threads_of(grid.threads_per_threadgroup) > MAX_THREADS {
            return Err(LaunchError::Unsupported {
                kernel: entry.name.to_string(),
                feature: format!("threadgroups of more than {MAX_THREADS} threads"),
            });
        }
        let mut simdgroups: Vec<Simdgroup> = Vec::new();
        let count = grid.threadgroup_count();
        for turn in 0..count {
            let position = grid.threadgroup_position(launch.order.nth(turn, count));
            let threadgroup = Threadgroup {
                position,
                size: grid.threadgroup_size(position),
                full: grid.threads_per_threadgroup,
            };
            machine.begin_threadgroup(threadgroup, threadgroup_bytes);
            let threads = threads_of(threadgroup.size);
            let groups = threads.div_ceil(LANES as u32);
            while simdgroups.len() < groups as usize {
                simdgroups.push(Simdgroup::new());
            }
            for (index, simdgroup) in simdgroups.iter_mut().enumerate().take(groups as usize) {
                let index = index as u32;
                let lanes = (threads - index * LANES as u32).min(LANES as u32);
                let rows = simdgroup.start(&self.program, self.entry, index, lanes);
                self.pass_arguments(launch, &offsets, &threadgroup, index, rows);
            }
            let mut running = true;
            while running {
                running = false;
                for simdgroup in &mut simdgroups[..groups as usize] {
                    if !simdgroup.has_ended() {
                        running |= machine.run(simdgroup)? == Stop::Barrier;
                    }
                }
                machine.end_phase();
            }
        }
        let steps = machine.steps;
        Ok(Report { findings: machine.findings(), steps })
    }

    /// Buffers that the launch may reach, address by argument of threadgroup memory, and its size.
    fn bind(&self, launch: &Launch<'_>) -> Result<(Vec<Region>, Vec<u64>, usize), LaunchError> {
        let mut regions = Vec::new();
        let mut addresses: Vec<u64> = (0..launch.args.len()).map(absent_address).collect();
        let mut end = self.program.threadgroup_memory.len() as u64;
        for (index, argument) in launch.args.iter().enumerate() {
            match argument {
                Argument::Buffer(view) => {
                    addresses[index] = view.address();
                    regions.push(Region { view: *view, argument: Some(index) });
                }
                Argument::Threadgroup { length } => {
                    let start = end.next_multiple_of(16);
                    addresses[index] = THREADGROUP + start;
                    end = start + u64::from(*length);
                }
                Argument::Builtin | Argument::Absent => {}
            }
        }
        regions.extend(launch.resident.iter().map(|view| Region { view: *view, argument: None }));
        if end > 1 << 28 {
            return Err(LaunchError::Unsupported {
                kernel: self.info().name.to_string(),
                feature: format!("{end} bytes of threadgroup memory"),
            });
        }
        Ok((regions, addresses, end as usize))
    }

    /// Writes the parameters' registers of one simdgroup.
    fn pass_arguments(
        &self,
        launch: &Launch<'_>,
        addresses: &[u64],
        threadgroup: &Threadgroup,
        simdgroup: u32,
        rows: &mut [Row],
    ) {
        let entry = self.info();
        let function = self.module.function(entry.function);
        let mut register = 0;
        for (index, (arg, ty)) in entry.args.iter().zip(&function.ty.params).enumerate() {
            let (scalar, width) = match ty {
                Type::Vector(scalar, lanes) => (*scalar, *lanes as usize),
                Type::Scalar(scalar) => (*scalar, 1),
                _ => continue,
            };
            let ArgRole::Builtin(builtin) = arg.role else {
                let address = addresses.get(index).copied().unwrap_or_else(|| absent_address(index));
                rows[register] = [address; LANES];
                register += width;
                continue;
            };
            let keep = crate::number::mask(scalar.bits().min(64) as u8);
            let target = &mut rows[register..register + width];
            for lane in 0..LANES {
                let thread = simdgroup * LANES as u32 + lane as u32;
                let value = builtin_value(builtin, launch, threadgroup, simdgroup, thread);
                for (row, component) in target.iter_mut().zip(value) {
                    row[lane] = u64::from(component) & keep;
                }
            }
            register += width;
        }
    }
}

impl Kernel for InterpKernel {
    fn info(&self) -> &KernelInfo {
        &self.info.kernels[self.kernel]
    }

    fn static_threadgroup_memory(&self) -> u32 {
        self.program.threadgroup_memory.len() as u32
    }

    fn run(&self, launch: &Launch<'_>) -> Result<(), LaunchError> {
        self.run_observed(launch, None).map(|_| ())
    }
}

/// Checks that the metadata lists as many arguments as the function has, of types that can be passed.
fn check_parameters(entry: &KernelInfo, function: &Function) -> Result<(), String> {
    let params = &function.ty.params;
    if entry.args.len() != params.len() {
        return Err(format!(
            "its metadata lists {} arguments, its function takes {}",
            entry.args.len(),
            params.len()
        ));
    }
    for (index, (arg, ty)) in entry.args.iter().zip(params).enumerate() {
        let fits = match arg.role {
            ArgRole::Builtin(_) => {
                matches!(ty, Type::Scalar(Scalar::Int(..=64)))
                    || matches!(ty, Type::Vector(Scalar::Int(..=64), 1..=4))
            }
            _ => ty.is_ptr(),
        };
        if !fits {
            return Err(format!(
                "argument {index} (`{}`) has type {ty}, which does not fit its role",
                arg.name
            ));
        }
    }
    Ok(())
}

/// Runs the module's constructors, which write constant memory.
fn construct(program: &mut Program, module: &Module, name: &str) -> Result<(), CompileError> {
    if program.constructors.is_empty() {
        return Ok(());
    }
    let constants = std::mem::take(&mut program.constant_memory);
    let memory = Memory::new(Vec::new(), Cow::Owned(constants));
    let limits = Limits { steps: CONSTRUCTOR_STEPS, time: None };
    let mut machine = Machine::new(program, module, name, &[], memory, limits, None);
    let one = Threadgroup { position: [0; 3], size: [1; 3], full: [1; 3] };
    machine.begin_threadgroup(one, 0);
    let mut simdgroup = Simdgroup::new();
    for constructor in &program.constructors {
        simdgroup.start(program, *constructor, 0, 1);
        while !simdgroup.has_ended() {
            if let Err(error) = machine.run(&mut simdgroup) {
                return Err(CompileError::Invalid {
                    kernel: name.into(),
                    message: format!("a constructor of the module failed: {error}"),
                });
            }
        }
    }
    let constants: Shadowed = machine.memory.constants.into_owned();
    program.constant_memory = constants;
    Ok(())
}

/// Threads of a size.
fn threads_of(size: [u32; 3]) -> u32 {
    size.iter().fold(1, |product: u32, size| product.saturating_mul(*size))
}

/// Value of a built-in for one thread. Scalars use the first component.
fn builtin_value(
    builtin: Builtin,
    launch: &Launch<'_>,
    threadgroup: &Threadgroup,
    simdgroup: u32,
    thread: u32,
) -> [u32; 3] {
    const QUAD: u32 = 4;
    let grid = &launch.grid;
    let count = |size: [u32; 3], of: u32| threads_of(size).div_ceil(of);
    let lanes = LANES as u32;
    match builtin {
        Builtin::ThreadPositionInGrid => threadgroup.thread_in_grid(thread),
        Builtin::ThreadPositionInThreadgroup => threadgroup.thread(thread),
        Builtin::ThreadIndexInThreadgroup => [thread; 3],
        Builtin::ThreadgroupPositionInGrid => threadgroup.position,
        Builtin::ThreadgroupsPerGrid => grid.threadgroups(),
        Builtin::ThreadsPerGrid | Builtin::GridSize => grid.threads,
        Builtin::ThreadsPerThreadgroup => threadgroup.size,
        Builtin::DispatchThreadsPerThreadgroup => threadgroup.full,
        Builtin::ThreadIndexInSimdgroup => [thread % lanes; 3],
        Builtin::SimdgroupIndexInThreadgroup => [simdgroup; 3],
        Builtin::SimdgroupsPerThreadgroup => [count(threadgroup.size, lanes); 3],
        Builtin::DispatchSimdgroupsPerThreadgroup => [count(threadgroup.full, lanes); 3],
        Builtin::ThreadsPerSimdgroup => [lanes; 3],
        Builtin::ThreadIndexInQuadgroup => [thread % QUAD; 3],
        Builtin::QuadgroupIndexInThreadgroup => [thread / QUAD; 3],
        Builtin::QuadgroupsPerThreadgroup => [count(threadgroup.size, QUAD); 3],
        Builtin::DispatchQuadgroupsPerThreadgroup => [count(threadgroup.full, QUAD); 3],
        Builtin::GridOrigin => [0; 3],
    }
}
