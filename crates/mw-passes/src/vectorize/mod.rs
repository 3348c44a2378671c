//! Widen a kernel from one thread to one simdgroup: 32 lanes in vector registers.
//!
//! **Before** a scalar function that each thread runs; built-ins are calls of `mw.builtin.*`.
//! **After** `void @mw_kernel(ptr context, ptr arguments)` (see [`crate::abi`]): varying values are
//! `<32 x T>`, uniform values stay scalar, uniform branches stay branches, divergent ones become masks with
//! a jump around code that no lane needs.
//! **Requires** scalar form, LCSSA form, loops with preheaders and no switch.
//! **Ensures** plain LLVM: no `air.*` call is left, pointers are in address space 0, halves and bfloats
//! travel as `i16`.
//! **Cost** O(instructions), plus O(members²) for each group of neighbouring memory accesses.
//!
//! Values that cross structured control flow go through stack slots, which LLVM's SROA turns back into
//! registers: that keeps this pass free of SSA repair.

mod arith;
mod calls;
mod collective;
mod convert;
mod flow;
mod groups;
mod interleave;
mod lane_loop;
mod matrix;
mod memory;
mod pieces;
mod plan;
mod prefetch;
mod private;
mod products;
mod tiles;
mod values;

use mw_air::schema::KernelInfo;
use mw_air::{Function, FunctionType, Module, Type};

use crate::PassError;
use crate::abi::{KERNEL_SYMBOL, ThreadgroupShape};
use values::Emitter;

/// What the code may rely on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// Shape of the threadgroups that it will run.
    pub shape: ThreadgroupShape,
    /// The machine has masked loads and stores for all element sizes (AVX-512BW, SVE).
    pub masked_memory: bool,
    /// The machine picks 32-bit elements out of two 512-bit registers by variable index (AVX-512).
    pub two_register_permutes: bool,
    /// Results of f32 operations that are denormal become zero (`air.compile.denorms_disable`). The
    /// processor does it for arithmetic; this pass does it where it computes floats by other means.
    pub flush_denormals: bool,
}

/// A widened kernel.
#[derive(Debug)]
pub struct WideKernel {
    /// The module; its kernel is called [`KERNEL_SYMBOL`].
    pub module: Module,
    /// Bytes of threadgroup memory that the kernel declares.
    pub threadgroup_memory: u32,
    /// Initial contents of parts of the threadgroup memory: offset and bytes.
    pub threadgroup_image: Vec<(u32, Vec<u8>)>,
    /// It waits at threadgroup barriers.
    pub has_barriers: bool,
    /// Bytes of stack that private arrays take.
    pub private_bytes: u64,
}

/// Widens the kernel of a module in scalar form.
pub fn run(module: &Module, kernel: &KernelInfo, options: Options) -> Result<WideKernel, PassError> {
    // Structured code nests as deeply as the dominator tree, which unrolled kernels make thousands deep.
    const STACK_BYTES: usize = 512 << 20;
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("vectorize".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || widen(module, kernel, options))
            .map_err(|error| PassError::Invalid(format!("no thread for the vectoriser: {error}")))?
            .join()
            .unwrap_or_else(|_| Err(PassError::Invalid("the vectoriser panicked".to_owned())))
    })
}

fn widen(module: &Module, kernel: &KernelInfo, options: Options) -> Result<WideKernel, PassError> {
    let mut out = Module {
        source_filename: module.source_filename.clone(),
        triple: module.triple.clone(),
        data_layout: module.data_layout.clone(),
        ..Module::default()
    };
    let ptr = Type::ptr(mw_air::AddressSpace::THREAD);
    let ty = FunctionType { ret: Type::Void, params: vec![ptr.clone(), ptr], varargs: false };
    let memory = values::place_globals(module, &mut out)?;
    let kernel_function = module
        .function_named(&kernel.name)
        .filter(|id| !module.function(*id).is_declaration())
        .ok_or_else(|| PassError::invalid(format!("kernel `{}` has no body", kernel.name)))?;
    let wide = out.add_function(Function::new(KERNEL_SYMBOL, ty));
    let mut shared = values::Shared::new(module, &mut out, &memory, options);
    shared.declare_helpers(kernel_function)?;
    let mut has_barriers = false;
    let mut private_bytes = 0;
    let body = Emitter::new(&mut shared, kernel_function, Some(kernel), wide)?.emit()?;
    has_barriers |= body.has_barriers;
    private_bytes += body.private_bytes;
    *shared.out.function_mut(wide) = body.function;
    for (scalar, wide) in shared.helpers() {
        let body = Emitter::new(&mut shared, scalar, None, wide)?.emit()?;
        has_barriers |= body.has_barriers;
        private_bytes += body.private_bytes;
        *shared.out.function_mut(wide) = body.function;
    }
    Ok(WideKernel {
        module: out,
        threadgroup_memory: memory.threadgroup_bytes,
        threadgroup_image: memory.threadgroup_image,
        has_barriers,
        private_bytes,
    })
}
