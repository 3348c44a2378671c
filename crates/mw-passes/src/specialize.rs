//! Set function constants.
//!
//! **Before** a module as the compiler wrote it: the value of a constant is to come from outside, a
//! constructor copies it and derives others from it, and gated parameters name a predicate global.
//!
//! ```text
//! @_Z9has_mask.MTL_FC_INIT_300_b = internal externally_initialized constant i8 undef, section "air.fc_initializer"
//! @__metal_implicit_fc_pred_0 = internal global i8 0
//! declare i8 @air.normalize_function_constant_predicate.i8(i8)
//!   %d = call i1 @air.is_function_constant_defined(ptr addrspace(2) @_Z9has_mask.MTL_FC_INIT_300_b)
//! ```
//!
//! **After** nothing comes from outside any more.
//!
//! ```text
//! @_Z9has_mask.MTL_FC_INIT_300_b = internal constant i8 1
//! @__metal_implicit_fc_pred_0 = internal global i8 0
//! define internal i8 @air.normalize_function_constant_predicate.i8(i8) { …x ≠ 0… }
//!   ; uses of %d are `true`
//! ```
//!
//! **Requires** `info` was read from this module.
//! **Ensures** every function constant is an internal constant; those without a value are zero. Constructors
//! still stand: both engines run (or fold) them. [`SpecializeReport::active_args`] says which parameters
//! exist, which [`static_init`](crate::static_init) finds by running the constructors.
//! **Cost** O(instructions), plus the run of the constructors.
//! **Source** read off Apple-compiled libraries; globalopt folds the constructors only when both edits are made.
//! **Not done** constants of vector type, which do not occur in the libraries at hand: an error names them.

use mw_air::schema::{FunctionConstant, ModuleInfo};
use mw_air::{
    Builder, Callee, CastOp, Constant, ConstantExpr, FuncId, Function, GlobalId, Inst, InstId, IntPredicate,
    Layout, Linkage, Module, Scalar, Type, TypedConstant, ValueId,
};
use mw_backend::ConstantValues;

use crate::static_init::StaticInit;

/// Section of globals that receive a function constant.
const INITIALIZER_SECTION: &str = "air.fc_initializer";

/// Prefix of the functions that turn a predicate into 0 or 1.
const NORMALIZE: &str = "air.normalize_function_constant_predicate.";

/// Prefix of the functions that ask whether a constant has a value.
const IS_DEFINED: &str = "air.is_function_constant_defined";

/// What is known after the constants are set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpecializeReport {
    /// For each kernel of the module, for each of its parameters: whether it exists.
    pub active_args: Vec<Vec<bool>>,
}

/// The constants could not be set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecializeError {
    /// Required constants have no value.
    #[error("the function constants {} have no value: set them before the kernel is compiled", .constants.join(", "))]
    Missing {
        /// Each as "200 `align_M` (bool)".
        constants: Vec<String>,
    },
    /// A value does not have the size of its constant.
    #[error(
        "function constant {constant} has {declared} bytes, the value given has {given}: set a value of its type"
    )]
    WrongSize {
        /// As in [`Self::Missing`].
        constant: String,
        /// Bytes of its type.
        declared: u64,
        /// Bytes of the value.
        given: u8,
    },
    /// A constant of a type that values cannot have.
    #[error("function constant {constant} has type `{ty}`: only scalar constants are supported")]
    UnsupportedType {
        /// As in [`Self::Missing`].
        constant: String,
        /// Its type in the module.
        ty: String,
    },
    /// `is_function_constant_defined` about something that is no function constant.
    #[error("`{function}` asks whether something is defined that is no function constant of the module")]
    UnknownConstant {
        /// Function that asks.
        function: String,
    },
    /// The predicate of a parameter is not known after the constructors ran.
    #[error(
        "whether argument {index} (`{name}`) of kernel `{kernel}` exists could not be computed: {reason}"
    )]
    UnknownPredicate {
        /// Kernel.
        kernel: String,
        /// Position of the parameter.
        index: usize,
        /// Name of the parameter.
        name: String,
        /// What stood in the way.
        reason: String,
    },
}

/// Sets the function constants of a module.
pub fn specialize(
    module: &mut Module,
    info: &ModuleInfo,
    values: &ConstantValues,
) -> Result<SpecializeReport, SpecializeError> {
    check_required(info, values)?;
    for constant in &info.function_constants {
        set_constant(module, constant, values)?;
    }
    seal_unlisted_constants(module);
    resolve_is_defined(module, info, values)?;
    define_normalize(module);
    active_args(module, info)
}

fn check_required(info: &ModuleInfo, values: &ConstantValues) -> Result<(), SpecializeError> {
    let missing: Vec<String> = info
        .function_constants
        .iter()
        .filter(|constant| constant.required && values.get(constant.index).is_none())
        .map(describe)
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(SpecializeError::Missing { constants: missing }) }
}

fn describe(constant: &FunctionConstant) -> String {
    format!("{} `{}` ({})", constant.index, constant.name, constant.type_name)
}

fn set_constant(
    module: &mut Module,
    constant: &FunctionConstant,
    values: &ConstantValues,
) -> Result<(), SpecializeError> {
    let ty = module.global(constant.global).ty.clone();
    let value = match values.get(constant.index) {
        None => TypedConstant::zero(ty),
        Some(value) => {
            let declared = Layout::store_size(&ty);
            if declared != u64::from(value.size_bytes) {
                return Err(SpecializeError::WrongSize {
                    constant: describe(constant),
                    declared,
                    given: value.size_bytes,
                });
            }
            match ty {
                Type::Scalar(Scalar::Int(_)) => TypedConstant::int(ty, value.bits),
                Type::Scalar(scalar) if scalar.is_float() => {
                    TypedConstant { ty, value: Constant::Float(value.bits) }
                }
                _ => {
                    return Err(SpecializeError::UnsupportedType {
                        constant: describe(constant),
                        ty: ty.to_string(),
                    });
                }
            }
        }
    };
    seal(module, constant.global, value);
    Ok(())
}

/// Makes a global an internal constant.
fn seal(module: &mut Module, global: GlobalId, value: TypedConstant) {
    let global = &mut module.globals[global.index()];
    global.initializer = Some(value);
    global.is_constant = true;
    global.linkage = Linkage::Internal;
    global.externally_initialized = false;
    global.section = None;
}

/// Constants that the module's list leaves out have no index to be set by: they are zero.
fn seal_unlisted_constants(module: &mut Module) {
    for global in module.global_ids() {
        if module.global(global).section.as_deref() == Some(INITIALIZER_SECTION) {
            let zero = TypedConstant::zero(module.global(global).ty.clone());
            seal(module, global, zero);
        }
    }
}

/// Replaces each question whether a constant is defined by its answer.
fn resolve_is_defined(
    module: &mut Module,
    info: &ModuleInfo,
    values: &ConstantValues,
) -> Result<(), SpecializeError> {
    let asks: Vec<FuncId> =
        module.function_ids().filter(|id| module.function(*id).name.starts_with(IS_DEFINED)).collect();
    if asks.is_empty() {
        return Ok(());
    }
    for function in &mut module.functions {
        for (call, argument) in calls_of(function, &asks) {
            let asked = function.constant(argument).and_then(global_of);
            let constant = info.function_constants.iter().find(|constant| Some(constant.global) == asked);
            let constant = constant
                .ok_or_else(|| SpecializeError::UnknownConstant { function: function.name.to_string() })?;
            let answer = u64::from(values.get(constant.index).is_some());
            if let Some(result) = function.inst(call).result {
                let ty = function.value_type(result).clone();
                let answer = function.const_int(ty, answer);
                function.replace_uses(result, answer);
            }
            for block in &mut function.blocks {
                block.insts.retain(|inst| *inst != call);
            }
        }
    }
    Ok(())
}

/// Calls of any of `callees`, with their first arguments.
fn calls_of(function: &Function, callees: &[FuncId]) -> Vec<(InstId, ValueId)> {
    let placed = function.blocks.iter().flat_map(|block| &block.insts);
    placed
        .filter_map(|inst| match &function.inst(*inst).inst {
            Inst::Call(call) => match call.callee {
                Callee::Function(callee) if callees.contains(&callee) => Some((*inst, *call.args.first()?)),
                Callee::Function(_) | Callee::Value(_) => None,
            },
            _ => None,
        })
        .collect()
}

/// The global that a constant pointer leads to, through casts.
fn global_of(constant: &Constant) -> Option<GlobalId> {
    match constant {
        Constant::Global(global) => Some(*global),
        Constant::Expr(expr) => match &**expr {
            ConstantExpr::Cast { value, .. } => global_of(&value.value),
            ConstantExpr::Gep { base, indices, .. } if indices.iter().all(|it| it.as_int() == Some(0)) => {
                global_of(&base.value)
            }
            ConstantExpr::Gep { .. } | ConstantExpr::Binary { .. } => None,
        },
        _ => None,
    }
}

/// Gives the predicate normaliser its body: 1 for anything but 0.
fn define_normalize(module: &mut Module) {
    for function in &mut module.functions {
        let takes_int = function.ty.params.len() == 1 && function.ty.params[0].is_int();
        if !function.is_declaration() || !function.name.starts_with(NORMALIZE) || !takes_int {
            continue;
        }
        function.linkage = Linkage::Internal;
        let ty = function.ty.params[0].clone();
        let entry = function.add_block();
        let argument = function.param(0);
        let mut builder = Builder::at(function, entry);
        let zero = builder.int(&ty, 0);
        let is_set = builder.icmp(IntPredicate::Ne, argument, zero);
        let result = builder.cast(CastOp::ZExt, is_set, &ty);
        builder.ret(Some(result));
    }
}

/// Runs the constructors and reads the predicates.
fn active_args(module: &Module, info: &ModuleInfo) -> Result<SpecializeReport, SpecializeError> {
    let is_gated = info.kernels.iter().any(|kernel| kernel.args.iter().any(|arg| arg.predicate.is_some()));
    let state = if is_gated { StaticInit::run(module) } else { StaticInit::default() };
    let mut report = SpecializeReport::default();
    for kernel in &info.kernels {
        let mut active = Vec::with_capacity(kernel.args.len());
        for (index, arg) in kernel.args.iter().enumerate() {
            active.push(match arg.predicate {
                None => true,
                Some(predicate) => {
                    let bits = state.global_bits(module, predicate);
                    let bits = bits.map_err(|reason| SpecializeError::UnknownPredicate {
                        kernel: kernel.name.to_string(),
                        index,
                        name: arg.name.to_string(),
                        reason,
                    })?;
                    bits != 0
                }
            });
        }
        report.active_args.push(active);
    }
    Ok(report)
}
