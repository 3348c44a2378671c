//! Function constants in Apple's shape.
//!
//! - The host writes `…MTL_FC_INIT_<index>_<type>`, an externally initialised constant in the section
//!   `air.fc_initializer`.
//! - The program reads a working copy. A constructor in the section `air.static_init` fills the copies, then
//!   what is derived from them, in the order of declaration.
//! - A gated parameter refers to a variable `__metal_implicit_fc_pred_<n>`, which the constructor sets to 0
//!   or 1.

use std::sync::Arc;

use mw_air::{
    AddressSpace, Attribute, CastOp, Constant, ConstantExpr, FuncId, Function, FunctionType, Global,
    GlobalId, Layout, Linkage, MdId, MdNode, MdOperand, Type, TypedConstant,
};
use mw_msl::hir;
use mw_msl::types::{Scalar, Type as Shape};
use mw_source::Span;

use crate::context::FunctionLowering;
use crate::error::LowerError;
use crate::module::ModuleLowering;
use crate::place::Address;
use crate::usage;

/// The name that the source gave to a variable with a mangled name: `_ZL7align_K` is `align_K`.
pub(crate) fn source_name(mangled: &str) -> &str {
    let Some(rest) = mangled.strip_prefix("_Z") else { return mangled };
    let mut rest = rest.trim_start_matches(['L', 'N']);
    let mut last = mangled;
    while let Some(digits) = rest.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0) {
        let Ok(length) = rest[..digits].parse::<usize>() else { break };
        let Some(name) = rest[digits..].get(..length) else { break };
        last = name;
        rest = rest[digits + length..].trim_start_matches('L');
    }
    last
}

impl ModuleLowering<'_> {
    /// The variable that the host initialises for a function constant.
    pub(crate) fn initialiser(&mut self, id: hir::GlobalId) -> Result<GlobalId, LowerError> {
        if let Some(known) = self.initialisers.get(&id) {
            return Ok(*known);
        }
        // Whoever asks for it alone makes the constant one of the module's.
        self.global(id)?;
        let global = self.program.global(id);
        let hir::GlobalKind::FunctionConstant { index } = global.kind else {
            return Err(LowerError::malformed(
                global.span,
                "what the host initialises is no function constant",
            ));
        };
        let ty = self.memory_type(global.ty.ty, global.span)?;
        let code = match self.program.ty(global.ty.ty) {
            Shape::Scalar(scalar) => scalar.itanium_code().to_owned(),
            Shape::Vector(scalar, lanes) => format!("Dv{lanes}_{}", scalar.itanium_code()),
            Shape::Enum(id) => self.program.enumeration(*id).underlying.itanium_code().to_owned(),
            _ => {
                return Err(LowerError::unsupported(
                    global.span,
                    "a function constant that is neither scalar nor vector",
                ));
            }
        };
        let plain = global.name.replacen("_ZL", "_Z", 1);
        let name = self.unique_name(&format!("{plain}.MTL_FC_INIT_{index}_{code}"));
        let mut variable = Global::new(&name, ty.clone(), AddressSpace::CONSTANT);
        variable.align = Layout::align(&ty);
        variable.initializer = Some(TypedConstant { ty, value: Constant::Undef });
        variable.is_constant = true;
        variable.externally_initialized = true;
        variable.section = Some("air.fc_initializer".into());
        let air = self.module.add_global(variable);
        self.initialisers.insert(id, air);
        Ok(air)
    }

    /// Variables that tell whether gated parameters exist, by the constant that decides.
    pub(crate) fn predicates(
        &mut self,
        kernels: &[&hir::Kernel],
    ) -> Result<Vec<(hir::GlobalId, GlobalId)>, LowerError> {
        let mut list: Vec<(hir::GlobalId, GlobalId)> = Vec::new();
        for gate in kernels.iter().flat_map(|kernel| &kernel.arguments).filter_map(|argument| argument.gate) {
            if list.iter().any(|(known, _)| *known == gate) {
                continue;
            }
            self.global(gate)?;
            let name = self.unique_name(&format!("__metal_implicit_fc_pred_{}", list.len()));
            let mut variable = Global::new(&name, Type::I8, AddressSpace::CONSTANT);
            variable.align = 1;
            variable.initializer = Some(TypedConstant::int(Type::I8, 0));
            list.push((gate, self.module.add_global(variable)));
        }
        Ok(list)
    }

    /// The constructor, if the module has function constants, and what keeps its results alive.
    pub(crate) fn constructor(&mut self, predicates: &[(hir::GlobalId, GlobalId)]) -> Result<(), LowerError> {
        if self.specialised.is_empty() {
            return Ok(());
        }
        let stem = self.options.source_name.clone();
        let name = self.unique_name(&format!("_GLOBAL__sub_I_{stem}"));
        let mut shell =
            Function::new(&name, FunctionType { ret: Type::Void, params: Vec::new(), varargs: false });
        shell.linkage = Linkage::Internal;
        shell.section = Some("air.static_init".into());
        shell.attrs.0.push(Attribute::Enum("nounwind".into()));
        // What initialisers use may use further constants, which then come first by their declaration.
        let (body, seen) = loop {
            let before = self.specialised.len();
            let body = self.constructor_body(shell.clone(), predicates)?;
            self.lower_pending()?;
            if self.specialised.len() == before {
                break (body, before);
            }
        };
        debug_assert!(seen > 0);
        let id = self.module.add_function(body);
        self.register_constructor(id);
        self.keep(predicates);
        Ok(())
    }

    fn constructor_body(
        &mut self,
        shell: Function,
        predicates: &[(hir::GlobalId, GlobalId)],
    ) -> Result<Function, LowerError> {
        let program = self.program;
        let order = self.initialisation_order();
        let mut cx = FunctionLowering::new(self, shell, &[], Vec::new());
        for id in order {
            let global = program.global(id);
            let copy = cx.global_address(id)?;
            match &global.kind {
                hir::GlobalKind::FunctionConstant { .. } => {
                    let source = cx.module.initialiser(id)?;
                    let ptr = cx.constant(TypedConstant {
                        ty: Type::ptr(AddressSpace::CONSTANT),
                        value: Constant::Global(source),
                    });
                    let ty = cx.memory_type(global.ty.ty, global.span)?;
                    let align = Layout::align(&ty);
                    let value = cx.load(&ty, ptr, align);
                    cx.store(copy.ptr, value, align);
                }
                hir::GlobalKind::Derived(expr) => {
                    cx.needs_memory = usage::expression_needs_memory(program, expr, 0);
                    cx.initialise(copy, global.ty.ty, expr)?;
                }
                hir::GlobalKind::Constant(_) | hir::GlobalKind::Threadgroup => {}
            }
        }
        for (gate, predicate) in predicates {
            let global = program.global(*gate);
            let copy = cx.global_address(*gate)?;
            let value = cx.load_object(copy, global.ty.ty, global.span)?;
            let Some(element) = cx.element(global.ty.ty) else {
                return Err(LowerError::malformed(global.span, "a gate that is no truth value"));
            };
            let truth = cx.convert(value, element, Scalar::Bool);
            let byte = cx.cast(CastOp::ZExt, truth, &Type::I8);
            let normal = cx.call_value("air.normalize_function_constant_predicate.i8", &Type::I8, &[byte]);
            let ptr = cx.constant(TypedConstant {
                ty: Type::ptr(AddressSpace::CONSTANT),
                value: Constant::Global(*predicate),
            });
            cx.store(ptr, normal, 1);
        }
        cx.fall_off_the_end();
        Ok(cx.finish())
    }

    /// Function constants by index, then what is derived, each behind what its initialiser names.
    fn initialisation_order(&self) -> Vec<hir::GlobalId> {
        let index = |id: &hir::GlobalId| match self.program.global(*id).kind {
            hir::GlobalKind::FunctionConstant { index } => (0, index),
            _ => (1, id.0),
        };
        let mut all: Vec<hir::GlobalId> = self.specialised.iter().copied().collect();
        all.sort_unstable_by_key(index);
        let mut order: Vec<hir::GlobalId> = Vec::with_capacity(all.len());
        // A stack of its own: a chain of constants may be long.
        let mut pending: Vec<(hir::GlobalId, bool)> = all.iter().rev().map(|id| (*id, false)).collect();
        let mut entered = rustc_hash::FxHashSet::default();
        while let Some((id, is_done)) = pending.pop() {
            if is_done {
                order.push(id);
                continue;
            }
            if !self.specialised.contains(&id) || !entered.insert(id) {
                continue;
            }
            pending.push((id, true));
            if let hir::GlobalKind::Derived(expr) = &self.program.global(id).kind {
                pending.extend(usage::globals_in(self.program, expr).into_iter().map(|id| (id, false)));
            }
        }
        order
    }

    fn register_constructor(&mut self, constructor: FuncId) {
        let ptr = Type::ptr(AddressSpace::THREAD);
        let entry = Type::literal_struct(vec![Type::I32, ptr.clone(), ptr.clone()]);
        let list = Type::array(entry.clone(), 1);
        let value = Constant::Aggregate(
            vec![
                TypedConstant::int(Type::I32, 65535),
                TypedConstant { ty: ptr.clone(), value: Constant::Function(constructor) },
                TypedConstant::zero(ptr),
            ]
            .into(),
        );
        let mut global = Global::new("llvm.global_ctors", list.clone(), AddressSpace::THREAD);
        global.linkage = Linkage::Appending;
        global.initializer = Some(TypedConstant {
            ty: list,
            value: Constant::Aggregate(vec![TypedConstant { ty: entry, value }].into()),
        });
        self.module.add_global(global);
    }

    /// Nobody reads the predicates but the pipeline.
    fn keep(&mut self, predicates: &[(hir::GlobalId, GlobalId)]) {
        if predicates.is_empty() {
            return;
        }
        let ptr = Type::ptr(AddressSpace::THREAD);
        let elements: Vec<TypedConstant> = predicates
            .iter()
            .map(|(_, global)| TypedConstant {
                ty: ptr.clone(),
                value: Constant::Expr(Arc::new(ConstantExpr::Cast {
                    op: CastOp::AddrSpaceCast,
                    value: TypedConstant {
                        ty: Type::ptr(AddressSpace::CONSTANT),
                        value: Constant::Global(*global),
                    },
                })),
            })
            .collect();
        let ty = Type::array(ptr, elements.len() as u64);
        let mut global = Global::new("llvm.compiler.used", ty.clone(), AddressSpace::THREAD);
        global.linkage = Linkage::Appending;
        global.section = Some("llvm.metadata".into());
        global.initializer = Some(TypedConstant { ty, value: Constant::Aggregate(elements.into()) });
        self.module.add_global(global);
    }

    /// The nodes of `air.function_constants`, by index.
    pub(crate) fn constant_nodes(&mut self) -> Vec<MdId> {
        let mut order: Vec<(hir::GlobalId, GlobalId)> =
            self.initialisers.iter().map(|(id, global)| (*id, *global)).collect();
        order.sort_unstable_by_key(|(id, _)| match self.program.global(*id).kind {
            hir::GlobalKind::FunctionConstant { index } => (index, *id),
            _ => (u32::MAX, *id),
        });
        let mut nodes = Vec::new();
        for (id, variable) in order {
            let global = self.program.global(id);
            let hir::GlobalKind::FunctionConstant { index } = global.kind else { continue };
            let type_name = crate::names::type_name(self.program, global.ty.ty);
            let is_required = !self.optional.contains(&id);
            let operands = vec![
                MdOperand::Value(TypedConstant {
                    ty: Type::ptr(AddressSpace::CONSTANT),
                    value: Constant::Global(variable),
                }),
                MdOperand::String(type_name.into()),
                MdOperand::String(source_name(&global.name).into()),
                MdOperand::Value(TypedConstant::int(Type::I32, u64::from(index))),
                MdOperand::Value(TypedConstant::int(Type::I1, u64::from(is_required))),
            ];
            nodes.push(self.module.metadata.add(MdNode { distinct: false, operands }));
        }
        nodes
    }
}

impl FunctionLowering<'_, '_> {
    fn global_address(&mut self, id: hir::GlobalId) -> Result<Address, LowerError> {
        let (global, space) = self.module.global(id)?;
        let align = self.program().global(id).align_bytes.max(1);
        let ptr = self.constant(TypedConstant { ty: Type::ptr(space), value: Constant::Global(global) });
        Ok(Address::new(ptr, align))
    }
}

/// The place of a program that has no better one.
pub(crate) fn no_span() -> Span {
    Span::default()
}

#[cfg(test)]
mod tests {
    use super::source_name;

    #[test]
    fn names_come_out_of_their_mangling() {
        assert_eq!(source_name("_ZL7align_K"), "align_K");
        assert_eq!(source_name("_ZN3foo3barE"), "bar");
        assert_eq!(source_name("plain"), "plain");
        assert_eq!(source_name("_ZN12_GLOBAL__N_1L3useE"), "use");
    }
}
