//! Kernels compiled for AArch64 and run under qemu, to check that code on a machine that is not at hand.
//!
//! Each launch becomes a program of its own: the kernel, a start that runs every threadgroup
//! (`start.s`), and copies of the buffers, which the program writes to its output at the end. Slow, and good
//! for nothing but comparing. Buffers that hold addresses of other buffers are not translated.

mod image;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mw_air::Module;
use mw_air::schema::{KernelInfo, ModuleInfo};
use mw_backend::{Argument, Backend, CompileError, Kernel, Launch, LaunchError};
use mw_llvm::{TargetSpec, Timings};
use mw_passes::abi::ThreadgroupShape;

use crate::backend::declared_threadgroup_bytes;
use crate::code::link_at;
use crate::launch::shapes;
use crate::pipeline::Pipeline;
use image::CODE_BASE;

/// Compiles for AArch64 and runs under qemu's user mode.
#[derive(Clone, Debug)]
pub struct EmulatedBackend {
    emulator: PathBuf,
}

impl EmulatedBackend {
    /// A backend that runs programs with `emulator`, such as `qemu-aarch64`.
    pub fn new(emulator: impl Into<PathBuf>) -> Self {
        Self { emulator: emulator.into() }
    }
}

impl Backend for EmulatedBackend {
    fn name(&self) -> &'static str {
        "aarch64"
    }

    fn compile(
        &self,
        module: &Arc<Module>,
        info: &Arc<ModuleInfo>,
        kernel: usize,
    ) -> Result<Arc<dyn Kernel>, CompileError> {
        Ok(Arc::new(EmulatedKernel {
            backend: self.clone(),
            module: Arc::clone(module),
            info: Arc::clone(info),
            kernel,
            threadgroup_bytes: declared_threadgroup_bytes(module),
        }))
    }
}

#[derive(Debug)]
struct EmulatedKernel {
    backend: EmulatedBackend,
    module: Arc<Module>,
    info: Arc<ModuleInfo>,
    kernel: usize,
    threadgroup_bytes: u32,
}

/// `start.s` as a part of an LLVM module.
fn start_text() -> String {
    let lines = include_str!("start.s").lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.fold(String::new(), |text, line| text + "\nmodule asm \"" + line.trim_end() + "\"")
}

impl Kernel for EmulatedKernel {
    fn info(&self) -> &KernelInfo {
        &self.info.kernels[self.kernel]
    }

    fn static_threadgroup_memory(&self) -> u32 {
        self.threadgroup_bytes
    }

    fn run(&self, launch: &Launch<'_>) -> Result<(), LaunchError> {
        let mut found = shapes(&launch.grid);
        let shape = match (found.next(), found.next()) {
            (Some(shape), None) => shape,
            _ => ThreadgroupShape::ALL[0],
        };
        let target = TargetSpec::named("aarch64").map_err(|error| self.fault(&error.to_string()))?;
        let mut pipeline = Pipeline {
            module: &self.module,
            info: &self.info,
            kernel: self.info(),
            shape,
            target: &target,
            timings: Timings::default(),
        };
        let (facts, object) = pipeline.object_with(&start_text())?;
        let (code, start) =
            link_at(&object, "_start", CODE_BASE).map_err(|error| self.fault(&error.to_string()))?;
        let data = image::Data::new(launch, &facts, self.info.denorms_disabled);
        let program = image::program(&code, start, &data);
        let output = self.emulate(&program).map_err(|error| self.fault(&error))?;
        if output.len() != data.output_len {
            return Err(self.fault(&format!("gave {} bytes of {}", output.len(), data.output_len)));
        }
        for (argument, (offset, len)) in data.buffers.iter().enumerate() {
            if let Argument::Buffer(view) = &launch.args[argument] {
                let bytes = &output[*offset..*offset + *len];
                view.write(0, bytes).ok_or_else(|| self.fault("a buffer changed its size"))?;
            }
        }
        Ok(())
    }
}

impl EmulatedKernel {
    fn fault(&self, message: &str) -> LaunchError {
        LaunchError::Fault { kernel: self.info().name.to_string(), message: format!("(emulated) {message}") }
    }

    /// Runs a program and gives what it writes.
    fn emulate(&self, program: &[u8]) -> Result<Vec<u8>, String> {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("mw-emulate-{}-{number}", std::process::id()));
        let result = write_program(&path, program)
            .and_then(|()| Command::new(&self.backend.emulator).arg(&path).stdin(Stdio::null()).output());
        // Left-overs in the temporary folder do no harm.
        let _ = std::fs::remove_file(&path);
        let output = result.map_err(|error| format!("{}: {error}", self.backend.emulator.display()))?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()))
        }
    }
}

fn write_program(path: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut file =
        std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o755).open(path)?;
    file.write_all(bytes)
}
