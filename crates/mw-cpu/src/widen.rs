//! The stages that `mw-builtins` and `mw-passes` own, until they are there.

use mw_air::Module;
use mw_air::schema::KernelInfo;
use mw_passes::abi::ThreadgroupShape;

use crate::launch::KernelFacts;

/// What the vectoriser may rely on.
pub(crate) struct WidenOptions {
    pub(crate) shape: ThreadgroupShape,
    pub(crate) masked_memory: bool,
    pub(crate) gathers: bool,
}

/// Why a kernel is not widened.
pub(crate) enum WidenError {
    Unsupported(String),
    Invalid(String),
}

pub(crate) fn link(_module: &mut Module) -> Result<(), String> {
    Ok(())
}

pub(crate) fn widen(
    _module: &Module,
    _kernel: &KernelInfo,
    options: &WidenOptions,
) -> Result<(KernelFacts, Module), WidenError> {
    let _ = (options.shape, options.masked_memory, options.gathers);
    if false {
        return Err(WidenError::Invalid(String::new()));
    }
    Err(WidenError::Unsupported("the vectoriser, which is not built yet".into()))
}
