//! Types of instructions.

use super::Verifier;
use crate::{AtomicOrdering, Call, Callee, CastOp, Function, Inst, Layout, RmwOp, Scalar, Type, ValueId};

impl<'m> Verifier<'m> {
    /// Every instruction that stands in a block. Handles are in range.
    pub(super) fn instructions(&mut self, function: &'m Function) {
        for block in function.block_ids() {
            self.block = Some(block);
            for id in &function.block(block).insts {
                self.inst = Some(*id);
                let data = function.inst(*id);
                let result = data.result.map_or(&Type::Void, |result| function.value_type(result));
                self.instruction(function, &data.inst, result);
            }
            self.inst = None;
        }
        self.block = None;
    }

    fn instruction(&mut self, function: &'m Function, inst: &'m Inst, result: &'m Type) {
        let ty = |value: &ValueId| function.value_type(*value);
        match inst {
            Inst::Binary { op, lhs, rhs, .. } => {
                self.same("the right operand", ty(rhs), ty(lhs));
                self.same("the result", result, ty(lhs));
                let fits = if op.is_float() { result.is_float() } else { result.is_int() };
                self.check(fits, || format!("`{}` does not work on `{result}`", op.name()));
            }
            Inst::FNeg { value, .. } => {
                self.same("the result", result, ty(value));
                self.check(result.is_float(), || format!("`fneg` does not work on `{result}`"));
            }
            Inst::Cast { op, value, .. } => {
                if let Some(problem) = cast_problem(*op, ty(value), result) {
                    self.error(problem);
                }
            }
            Inst::ICmp { lhs, rhs, .. } => {
                self.same("the right operand", ty(rhs), ty(lhs));
                let fits = ty(lhs).is_int() || ty(lhs).address_space().is_some();
                self.check(fits, || format!("`icmp` does not work on `{}`", ty(lhs)));
                self.same("the result", result, &ty(lhs).with_scalar(Scalar::Int(1)));
            }
            Inst::FCmp { lhs, rhs, .. } => {
                self.same("the right operand", ty(rhs), ty(lhs));
                self.check(ty(lhs).is_float(), || format!("`fcmp` does not work on `{}`", ty(lhs)));
                self.same("the result", result, &ty(lhs).with_scalar(Scalar::Int(1)));
            }
            Inst::Select { condition, on_true, on_false, .. } => {
                self.same("the second choice", ty(on_false), ty(on_true));
                self.same("the result", result, ty(on_true));
                let condition = ty(condition);
                let fits = match condition {
                    Type::Scalar(Scalar::Int(1)) => true,
                    Type::Vector(Scalar::Int(1), lanes) => {
                        matches!(result, Type::Vector(_, choices) if choices == lanes)
                    }
                    _ => false,
                };
                self.check(fits, || format!("a `{condition}` cannot choose a `{result}`"));
            }
            Inst::Freeze { value } => {
                self.same("the result", result, ty(value));
            }
            Inst::Phi { incoming, .. } => {
                for (_, value) in incoming {
                    self.same("an entry", ty(value), result);
                }
            }
            Inst::ExtractElement { vector, index } => {
                if let Some(element) = self.vector_element(ty(vector)) {
                    self.same("the result", result, &element);
                }
                self.scalar_int("the index", ty(index));
            }
            Inst::InsertElement { vector, element, index } => {
                if let Some(expected) = self.vector_element(ty(vector)) {
                    self.same("the element", ty(element), &expected);
                }
                self.same("the result", result, ty(vector));
                self.scalar_int("the index", ty(index));
            }
            Inst::ShuffleVector { first, second, mask } => {
                self.same("the second vector", ty(second), ty(first));
                let Type::Vector(scalar, lanes) = ty(first) else {
                    self.error(format!("a `{}` is no vector", ty(first)));
                    return;
                };
                let fits = mask.iter().all(|index| i64::from(*index) < 2 * i64::from(*lanes));
                self.check(fits, || "the mask chooses an element that neither vector has".into());
                self.same("the result", result, &Type::Vector(*scalar, mask.len() as u32));
            }
            Inst::ExtractValue { aggregate, indices } => {
                if let Some(member) = self.member(ty(aggregate), indices) {
                    self.same("the result", result, &member);
                }
            }
            Inst::InsertValue { aggregate, element, indices } => {
                if let Some(member) = self.member(ty(aggregate), indices) {
                    self.same("the member", ty(element), &member);
                }
                self.same("the result", result, ty(aggregate));
            }
            Inst::Alloca { ty: contents, count, align, space } => {
                self.value_type(contents);
                self.alignment(*align);
                if let Some(count) = count {
                    self.scalar_int("the count", ty(count));
                }
                self.same("the result", result, &Type::ptr(*space));
            }
            Inst::Load { ptr, align, ordering, .. } => {
                self.pointer(ty(ptr));
                self.alignment(*align);
                if let Some(ordering) = ordering {
                    self.atomic_type(result);
                    self.atomic_access(*align);
                    self.ordering(*ordering, &[AtomicOrdering::Release, AtomicOrdering::AcqRel]);
                }
            }
            Inst::Store { ptr, value, align, ordering, .. } => {
                self.pointer(ty(ptr));
                self.alignment(*align);
                self.no_result(result);
                if let Some(ordering) = ordering {
                    self.atomic_type(ty(value));
                    self.atomic_access(*align);
                    self.ordering(*ordering, &[AtomicOrdering::Acquire, AtomicOrdering::AcqRel]);
                }
            }
            Inst::Gep { source, base, indices, .. } => {
                if !self.value_type(source) {
                    return;
                }
                let steps: Vec<(&Type, Option<u64>)> =
                    indices.iter().map(|index| (ty(index), function.as_int(*index))).collect();
                if let Some(address) = self.address(source, ty(base), &steps) {
                    self.same("the result", result, &address);
                }
            }
            Inst::Call(call) => self.call(function, call, result),
            Inst::AtomicRmw { op, ptr, value, align, ordering, .. } => {
                self.pointer(ty(ptr));
                self.ordering(*ordering, &[AtomicOrdering::Unordered]);
                self.alignment(*align);
                self.same("the result", result, ty(value));
                self.atomic_type(result);
                let fits = match op {
                    RmwOp::Xchg => true,
                    RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin => result.is_float(),
                    RmwOp::Add
                    | RmwOp::Sub
                    | RmwOp::And
                    | RmwOp::Nand
                    | RmwOp::Or
                    | RmwOp::Xor
                    | RmwOp::Max
                    | RmwOp::Min
                    | RmwOp::UMax
                    | RmwOp::UMin => result.is_int(),
                };
                self.check(fits, || format!("`atomicrmw {}` does not work on `{result}`", op.name()));
            }
            Inst::CmpXchg { ptr, expected, new, align, success, failure, .. } => {
                self.pointer(ty(ptr));
                self.ordering(*success, &[AtomicOrdering::Unordered]);
                let stores = [AtomicOrdering::Unordered, AtomicOrdering::Release, AtomicOrdering::AcqRel];
                self.ordering(*failure, &stores);
                self.alignment(*align);
                self.same("the new value", ty(new), ty(expected));
                self.check(ty(new).is_int() || ty(new).is_ptr(), || {
                    format!("`cmpxchg` does not work on `{}`", ty(new))
                });
                self.atomic_type(ty(new));
                self.same("the result", result, &Type::literal_struct(vec![ty(new).clone(), Type::I1]));
            }
            Inst::Fence { ordering } => {
                self.no_result(result);
                self.ordering(*ordering, &[AtomicOrdering::Unordered, AtomicOrdering::Monotonic]);
            }
        }
    }

    fn call(&mut self, function: &'m Function, call: &Call, result: &Type) {
        match call.callee {
            Callee::Function(id) => {
                let Some(callee) = self.module.functions.get(id.index()) else {
                    self.error("the call is of a function that does not exist");
                    return;
                };
                self.check(callee.ty == call.ty, || {
                    format!("the call's type is not that of `@{}`", callee.name)
                });
            }
            Callee::Value(value) => self.pointer(function.value_type(value)),
        }
        if !self.function_type(&call.ty, false) {
            return;
        }
        self.same("the result", result, &call.ty.ret);
        let (given, listed) = (call.args.len(), call.ty.params.len());
        let enough = if call.ty.varargs { given >= listed } else { given == listed };
        if !self.check(enough, || format!("the callee takes {listed} arguments, the call passes {given}")) {
            return;
        }
        for (index, (arg, param)) in call.args.iter().zip(&call.ty.params).enumerate() {
            let given = function.value_type(*arg);
            self.check(given == param, || format!("argument {index} must be a `{param}`, not a `{given}`"));
        }
        self.check(call.arg_attrs.len() <= given, || {
            "there are attributes for more arguments than given".into()
        });
        self.check(call.tail <= 3, || "the tail marker is 0 to 3".into());
    }

    fn no_result(&mut self, result: &Type) {
        self.check(*result == Type::Void, || "this instruction cannot have a result".into());
    }

    fn scalar_int(&mut self, what: &str, ty: &Type) {
        let fits = matches!(ty, Type::Scalar(Scalar::Int(_)));
        self.check(fits, || format!("{what} must be an integer, not a `{ty}`"));
    }

    fn pointer(&mut self, ty: &Type) {
        self.check(ty.is_ptr(), || format!("expected a pointer, not a `{ty}`"));
    }

    fn ordering(&mut self, ordering: AtomicOrdering, refused: &[AtomicOrdering]) {
        self.check(!refused.contains(&ordering), || {
            format!("this instruction cannot be ordered `{}`", ordering.name())
        });
    }

    fn atomic_access(&mut self, align: u32) {
        self.check(align != 0, || "an atomic access states its alignment".into());
    }

    /// Atomic operations work on whole bytes of one register.
    fn atomic_type(&mut self, ty: &Type) {
        let fits = match ty {
            Type::Scalar(scalar) => matches!(scalar.bits(), 8 | 16 | 32 | 64),
            _ => false,
        };
        self.check(fits, || format!("a `{ty}` cannot be accessed atomically"));
    }

    fn vector_element(&mut self, ty: &Type) -> Option<Type> {
        if let Type::Vector(scalar, _) = ty {
            return Some(Type::Scalar(*scalar));
        }
        self.error(format!("a `{ty}` is no vector"));
        None
    }

    /// Type of a member of an aggregate by its path.
    fn member(&mut self, aggregate: &Type, indices: &[u32]) -> Option<Type> {
        let mut current = aggregate.clone();
        if indices.is_empty() {
            self.error("a member has a path of at least one index");
            return None;
        }
        for index in indices {
            let inner = if current.is_aggregate() { current.element(u64::from(*index)) } else { None };
            let Some(inner) = inner else {
                self.error(format!("a `{current}` has no member {index}"));
                return None;
            };
            current = inner;
        }
        Some(current)
    }

    /// Type of an address; each step is the type of an index, and its value where it is constant.
    pub(super) fn address(
        &mut self,
        source: &Type,
        base: &Type,
        steps: &[(&Type, Option<u64>)],
    ) -> Option<Type> {
        let Some(space) = base.address_space() else {
            self.error(format!("address arithmetic on a `{base}`"));
            return None;
        };
        let mut lanes = match base {
            Type::Vector(_, lanes) => Some(*lanes),
            _ => None,
        };
        for (ty, _) in steps {
            if !self.check(ty.is_int(), || format!("an index must be an integer, not a `{ty}`")) {
                return None;
            }
            if let Type::Vector(_, count) = ty {
                if !self.check(lanes.is_none_or(|lanes| lanes == *count), || {
                    "the vectors of an address have different lengths".into()
                }) {
                    return None;
                }
                lanes = Some(*count);
            }
        }
        // The first index counts whole `source`s; the others walk into it.
        let mut current = source.clone();
        for (_, constant) in steps.iter().skip(1) {
            let inner = match &current {
                Type::Array(element, _) => Some((**element).clone()),
                Type::Vector(scalar, _) => Some(Type::Scalar(*scalar)),
                Type::Struct(structure) => {
                    constant.and_then(|index| structure.fields.get(usize::try_from(index).ok()?)).cloned()
                }
                Type::Void | Type::Scalar(_) | Type::Metadata => None,
            };
            let Some(inner) = inner else {
                self.error(format!("an index walks into a `{current}` that has no such member"));
                return None;
            };
            current = inner;
        }
        Some(match lanes {
            Some(lanes) => Type::Vector(Scalar::Ptr(space), lanes),
            None => Type::ptr(space),
        })
    }
}

/// Why a value of one type cannot be converted to another.
pub(super) fn cast_problem(op: CastOp, from: &Type, to: &Type) -> Option<String> {
    let problem = || Some(format!("`{}` does not convert `{from}` to `{to}`", op.name()));
    let (Some(source), Some(target)) = (from.scalar(), to.scalar()) else { return problem() };
    if op != CastOp::Bitcast {
        let same_shape = match (from, to) {
            (Type::Vector(_, left), Type::Vector(_, right)) => left == right,
            (Type::Scalar(_), Type::Scalar(_)) => true,
            _ => false,
        };
        if !same_shape {
            return problem();
        }
    }
    let (wider, narrower) = (target.bits() > source.bits(), target.bits() < source.bits());
    let is_ptr = |scalar: Scalar| matches!(scalar, Scalar::Ptr(_));
    let fits = match op {
        CastOp::Trunc => source.is_int() && target.is_int() && narrower,
        CastOp::ZExt | CastOp::SExt => source.is_int() && target.is_int() && wider,
        CastOp::FpTrunc => source.is_float() && target.is_float() && narrower,
        CastOp::FpExt => source.is_float() && target.is_float() && wider,
        CastOp::FpToUi | CastOp::FpToSi => source.is_float() && target.is_int(),
        CastOp::UiToFp | CastOp::SiToFp => source.is_int() && target.is_float(),
        CastOp::PtrToInt => is_ptr(source) && target.is_int(),
        CastOp::IntToPtr => source.is_int() && is_ptr(target),
        CastOp::AddrSpaceCast => is_ptr(source) && is_ptr(target) && source != target,
        CastOp::Bitcast => match (source, target) {
            (Scalar::Ptr(_), _) | (_, Scalar::Ptr(_)) => from == to,
            _ => bits(from) == bits(to),
        },
    };
    if fits { None } else { problem() }
}

/// Width of a scalar or vector.
fn bits(ty: &Type) -> u64 {
    match ty {
        Type::Scalar(scalar) => u64::from(scalar.bits()),
        Type::Vector(scalar, lanes) => u64::from(scalar.bits()) * u64::from(*lanes),
        _ => 8 * Layout::store_size(ty),
    }
}
