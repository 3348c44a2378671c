//! The machine that code is made for: the host, a level of x86-64 that `MW_CPU` names, or AArch64.
#![expect(unsafe_code, reason = "calls into LLVM's C API")]

use std::ptr;
use std::sync::Once;

use llvm_sys::target::{
    LLVMInitializeAArch64AsmParser, LLVMInitializeAArch64AsmPrinter, LLVMInitializeAArch64Target,
    LLVMInitializeAArch64TargetInfo, LLVMInitializeAArch64TargetMC, LLVMInitializeX86AsmParser,
    LLVMInitializeX86AsmPrinter, LLVMInitializeX86Target, LLVMInitializeX86TargetInfo,
    LLVMInitializeX86TargetMC,
};
use llvm_sys::target_machine::{
    LLVMCodeGenFileType, LLVMCodeGenOptLevel, LLVMCodeModel, LLVMCreateTargetMachine,
    LLVMDisposeTargetMachine, LLVMGetDefaultTargetTriple, LLVMGetHostCPUFeatures, LLVMGetHostCPUName,
    LLVMGetTargetFromTriple, LLVMRelocMode, LLVMTargetMachineEmitToMemoryBuffer, LLVMTargetMachineRef,
    LLVMTargetRef,
};

use crate::LlvmError;
use crate::context::{Buffer, Context, LlvmModule, c_string, take_message};

/// What code may use: part of the cache key.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TargetSpec {
    /// LLVM triple.
    pub triple: String,
    /// LLVM's name of the CPU.
    pub cpu: String,
    /// `+avx2,-…`, beyond what the CPU implies.
    pub features: String,
}

/// A CPU name that this toolchain does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is not a CPU that kernels can be compiled for: \
     write `native`, `x86-64-v2`, `x86-64-v3`, `x86-64-v4` or `aarch64`"
)]
pub struct UnknownCpu {
    /// The name.
    pub name: String,
}

impl TargetSpec {
    /// The machine that this process runs on, with all its features.
    pub fn host() -> Self {
        initialize();
        // SAFETY: the three functions return strings that the caller disposes of.
        let (triple, cpu, features) = unsafe {
            (
                take_message(LLVMGetDefaultTargetTriple()),
                take_message(LLVMGetHostCPUName()),
                take_message(LLVMGetHostCPUFeatures()),
            )
        };
        Self { triple, cpu, features: with_tuning(features) }
    }

    /// The machine that `MW_CPU` or a command line names: `native`, a level of x86-64, or `aarch64`.
    pub fn named(name: &str) -> Result<Self, UnknownCpu> {
        match name {
            "" | "native" => Ok(Self::host()),
            "x86-64-v2" | "x86-64-v3" | "x86-64-v4" => Ok(Self {
                triple: "x86_64-unknown-linux-gnu".into(),
                cpu: name.into(),
                features: if name == "x86-64-v4" { with_tuning("+avx512f".into()) } else { String::new() },
            }),
            "aarch64" => Ok(Self {
                triple: "aarch64-unknown-linux-gnu".into(),
                cpu: "generic".into(),
                features: "+neon,+fullfp16".into(),
            }),
            other => Err(UnknownCpu { name: other.into() }),
        }
    }

    /// The machine that the environment variable `MW_CPU` names; the host when it is not set.
    pub fn from_environment() -> Result<Self, UnknownCpu> {
        Self::named(&std::env::var("MW_CPU").unwrap_or_default())
    }

    /// Whether code for it is x86-64.
    pub fn is_x86_64(&self) -> bool {
        self.triple.starts_with("x86_64")
    }

    /// Whether code for it is AArch64.
    pub fn is_aarch64(&self) -> bool {
        self.triple.starts_with("aarch64") || self.triple.starts_with("arm64")
    }

    /// Whether it has a fused multiply-add instruction.
    pub fn has_fma(&self) -> bool {
        self.is_aarch64() || self.has_x86("+fma", &["x86-64-v3", "x86-64-v4"])
    }

    /// Whether it has instructions that convert between half and float.
    pub fn has_half_conversions(&self) -> bool {
        self.is_aarch64() || self.has_x86("+f16c", &["x86-64-v3", "x86-64-v4"])
    }

    /// Whether loads and stores of every element size take a mask.
    pub fn has_masked_memory(&self) -> bool {
        self.has_x86("+avx512bw", &["x86-64-v4"])
    }

    /// Whether an instruction picks 32-bit elements out of two 512-bit registers by variable index.
    pub fn has_two_register_permutes(&self) -> bool {
        self.is_x86_64() && self.vector_bits() == 512
    }

    /// Width in bits of its vector registers.
    pub fn vector_bits(&self) -> u32 {
        if self.has_x86("+avx512f", &["x86-64-v4"]) {
            512
        } else if self.has_x86("+avx2", &["x86-64-v3"]) {
            256
        } else {
            128
        }
    }

    /// Number of its vector registers.
    pub fn vector_registers(&self) -> u32 {
        if self.is_aarch64() || self.vector_bits() == 512 { 32 } else { 16 }
    }

    fn has_x86(&self, feature: &str, levels: &[&str]) -> bool {
        self.is_x86_64()
            && (levels.contains(&self.cpu.as_str()) || self.features.split(',').any(|word| word == feature))
    }
}

/// A simdgroup fills whole 512-bit registers, so the narrower ones that some CPUs prefer for scattered
/// vector code lose.
fn with_tuning(features: String) -> String {
    if features.split(',').any(|feature| feature == "+avx512f") {
        features + ",-prefer-256-bit"
    } else {
        features
    }
}

/// Makes the targets known that [`TargetSpec`] can name; a static link then takes no other's code in.
fn initialize() {
    static ONCE: Once = Once::new();
    // SAFETY: registering targets is not thread-safe, which `call_once` takes care of; all code of ours that
    // looks targets up calls this first.
    ONCE.call_once(|| unsafe {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86AsmParser();
        LLVMInitializeAArch64TargetInfo();
        LLVMInitializeAArch64Target();
        LLVMInitializeAArch64TargetMC();
        LLVMInitializeAArch64AsmPrinter();
        LLVMInitializeAArch64AsmParser();
    });
}

/// How much work the code generator does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Effort {
    /// Fast instruction selection and register allocation: for very large kernels.
    None,
    /// Cheap optimisations only.
    Less,
    /// Everything that pays at run time.
    #[default]
    Default,
}

/// What `emit` makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// An ELF object.
    Object,
    /// Assembly.
    Assembly,
}

/// LLVM's code generator for one target.
pub(crate) struct Machine {
    raw: LLVMTargetMachineRef,
}

impl Machine {
    pub(crate) fn new(spec: &TargetSpec, effort: Effort) -> Result<Self, LlvmError> {
        initialize();
        let [triple, cpu, features] =
            [c_string(&spec.triple)?, c_string(&spec.cpu)?, c_string(&spec.features)?];
        let error = |message: String| LlvmError::Target {
            target: format!("{} ({})", spec.triple, spec.cpu),
            message,
        };
        let mut target: LLVMTargetRef = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: the triple is a NUL-terminated string; on failure the message is the caller's.
        unsafe {
            if LLVMGetTargetFromTriple(triple.as_ptr(), &raw mut target, &raw mut message) != 0 {
                return Err(error(take_message(message)));
            }
        }
        let level = match effort {
            Effort::None => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
            Effort::Less => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
            Effort::Default => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
        };
        // SAFETY: the target is live for ever, the strings are NUL-terminated and copied by LLVM.
        // Position-independent code in the small model: an object is loaded as one block anywhere.
        let raw = unsafe {
            LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                level,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelSmall,
            )
        };
        if raw.is_null() {
            return Err(error("no code generator".into()));
        }
        Ok(Self { raw })
    }

    pub(crate) fn raw(&self) -> LLVMTargetMachineRef {
        self.raw
    }

    /// Generates code. The module is changed on the way.
    pub(crate) fn emit(
        &self,
        context: &Context,
        module: &LlvmModule<'_>,
        output: Output,
    ) -> Result<Buffer, LlvmError> {
        let kind = match output {
            Output::Object => LLVMCodeGenFileType::LLVMObjectFile,
            Output::Assembly => LLVMCodeGenFileType::LLVMAssemblyFile,
        };
        let mut message = ptr::null_mut();
        let mut buffer = ptr::null_mut();
        // SAFETY: machine and module are live; on success the buffer and on failure the message are ours.
        let result = unsafe {
            let failed = LLVMTargetMachineEmitToMemoryBuffer(
                self.raw,
                module.raw(),
                kind,
                &raw mut message,
                &raw mut buffer,
            );
            if failed == 0 { Ok(Buffer::from_raw(buffer)) } else { Err(take_message(message)) }
        };
        match (result, context.take_errors()) {
            (Ok(buffer), None) => Ok(buffer),
            (Ok(_), Some(message)) | (Err(message), None) => Err(LlvmError::Codegen { message }),
            (Err(message), Some(errors)) => {
                Err(LlvmError::Codegen { message: format!("{message}; {errors}") })
            }
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: the machine came from LLVMCreateTargetMachine and is owned by this value alone.
        unsafe { LLVMDisposeTargetMachine(self.raw) };
    }
}

/// LLVM's version, which is part of the cache key.
pub fn llvm_version() -> (u32, u32, u32) {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the three addresses are of live variables.
    unsafe { llvm_sys::core::LLVMGetVersion(&raw mut major, &raw mut minor, &raw mut patch) };
    (major, minor, patch)
}
