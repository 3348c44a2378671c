//! What a module says about its entry points: the schema in its metadata, and the memory that a kernel declares.

use mw_air::schema::{FunctionConstant, KernelInfo, ModuleInfo, SchemaError};
use mw_air::{
    AddressSpace, Callee, Constant, ConstantExpr, FuncId, GlobalId, Inst, Layout, MdOperand, Module,
    TypedConstant, ValueDef,
};

use crate::container::FunctionKind;
use crate::library::ModuleFunction;

/// What a kernel asks of whoever launches it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reflection {
    /// Name, arguments, threadgroup limit.
    pub kernel: KernelInfo,
    /// AIR version, major and minor.
    pub air_version: (u32, u32),
    /// Metal language version, major and minor.
    pub language_version: (u32, u32),
    /// Compiled with fast math.
    pub fast_math: bool,
    /// f32 denormals are flushed.
    pub denorms_disabled: bool,
    /// Function constants of the module, in declaration order.
    pub function_constants: Vec<FunctionConstant>,
    /// Threadgroup variables that the kernel and the functions it calls use.
    pub threadgroup_globals: Vec<GlobalId>,
    /// Bytes that those variables take, laid out in order; arguments in threadgroup memory come on top.
    pub threadgroup_bytes: u64,
}

/// A module without the kernel that was asked for, or with metadata that makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectError {
    /// No kernel of this name.
    #[error("the module has no kernel `{name}`; it has {}", list(.known))]
    NoSuchKernel {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The metadata breaks the `air.*` schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// What kernel `name` of a module asks of its caller.
pub fn reflect(module: &Module, name: &str) -> Result<Reflection, ReflectError> {
    let info = ModuleInfo::parse(module)?;
    let Some(kernel) = info.kernels.iter().find(|kernel| &*kernel.name == name) else {
        return Err(ReflectError::NoSuchKernel {
            name: name.to_owned(),
            known: info.kernels.iter().map(|kernel| kernel.name.to_string()).collect(),
        });
    };
    let threadgroup_globals = used_globals(module, kernel.function, AddressSpace::THREADGROUP);
    let threadgroup_bytes = threadgroup_globals.iter().fold(0_u64, |end, &id| {
        let global = module.global(id);
        let align = u64::from(global.align.max(Layout::align(&global.ty)).max(1));
        end.div_ceil(align).saturating_mul(align).saturating_add(Layout::alloc_size(&global.ty))
    });
    Ok(Reflection {
        kernel: kernel.clone(),
        air_version: info.air_version,
        language_version: info.language_version,
        fast_math: info.fast_math,
        denorms_disabled: info.denorms_disabled,
        function_constants: info.function_constants,
        threadgroup_globals,
        threadgroup_bytes,
    })
}

/// Globals of one address space that a function or what it calls refers to, in module order.
fn used_globals(module: &Module, root: FuncId, space: AddressSpace) -> Vec<GlobalId> {
    let mut seen = vec![false; module.functions.len()];
    let mut used = vec![false; module.globals.len()];
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        let Some(is_seen) = seen.get_mut(id.index()) else { continue };
        if std::mem::replace(is_seen, true) {
            continue;
        }
        let function = module.function(id);
        let mut visit = |constant: &Constant| match constant {
            Constant::Global(id) => {
                if let Some(used) = used.get_mut(id.index()) {
                    *used = true;
                }
            }
            Constant::Function(id) => pending.push(*id),
            _ => {}
        };
        for value in function.values() {
            if let ValueDef::Const(constant) = &value.def {
                visit_constant(constant, &mut visit);
            }
        }
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            if let Inst::Call(call) = &function.inst(*inst).inst
                && let Callee::Function(callee) = call.callee
            {
                visit(&Constant::Function(callee));
            }
        }
    }
    module.global_ids().filter(|id| used[id.index()] && module.global(*id).space == space).collect()
}

/// Visits a constant and everything that it is made of.
fn visit_constant(constant: &Constant, visit: &mut impl FnMut(&Constant)) {
    visit(constant);
    let mut parts = |parts: &[&TypedConstant]| {
        for part in parts {
            visit_constant(&part.value, visit);
        }
    };
    match constant {
        Constant::Aggregate(elements) => elements.iter().for_each(|element| parts(&[element])),
        Constant::Expr(expression) => match &**expression {
            ConstantExpr::Gep { base, .. } => parts(&[base]),
            ConstantExpr::Cast { value, .. } => parts(&[value]),
            ConstantExpr::Binary { lhs, rhs, .. } => parts(&[lhs, rhs]),
        },
        Constant::Int(_)
        | Constant::Float(_)
        | Constant::Zero
        | Constant::Undef
        | Constant::Poison
        | Constant::Global(_)
        | Constant::Function(_) => {}
    }
}

/// Lists of entry points and what they hold.
const ENTRY_LISTS: [(&str, FunctionKind); 7] = [
    ("air.vertex", FunctionKind::Vertex),
    ("air.fragment", FunctionKind::Fragment),
    ("air.kernel", FunctionKind::Kernel),
    ("air.visible", FunctionKind::Visible),
    ("air.intersection", FunctionKind::Intersection),
    ("air.mesh", FunctionKind::Mesh),
    ("air.object", FunctionKind::Object),
];

/// The entry points that a plain module lists in its metadata.
pub(crate) fn entry_points(module: &Module) -> Vec<ModuleFunction> {
    let air_version = version(module, "air.version", 0);
    // The language's name stands first.
    let language_version = version(module, "air.language_version", 1);
    let mut functions = Vec::new();
    for (list, kind) in ENTRY_LISTS {
        for &node in module.metadata.named(list) {
            if let Some(MdOperand::Value(value)) = module.metadata.node(node).operands.first()
                && let Constant::Function(id) = value.value
            {
                let name = module.function(id).name.to_string();
                functions.push(ModuleFunction { name, kind, air_version, language_version });
            }
        }
    }
    functions
}

/// Major and minor version in the first node of a named list, from operand `first` on.
fn version(module: &Module, list: &str, first: usize) -> (u16, u16) {
    let number = |index: usize| -> Option<u16> {
        let node = *module.metadata.named(list).first()?;
        match module.metadata.node(node).operands.get(first + index)? {
            MdOperand::Value(value) => u16::try_from(value.as_int()?).ok(),
            MdOperand::Null | MdOperand::String(_) | MdOperand::Node(_) => None,
        }
    };
    (number(0).unwrap_or(0), number(1).unwrap_or(0))
}
