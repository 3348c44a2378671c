//! Constants.

use super::Verifier;
use super::inst::cast_problem;
use crate::{Constant, ConstantExpr, Scalar, Type, TypedConstant};

/// Deepest nesting.
const MAX_DEPTH: u32 = 64;

impl Verifier<'_> {
    /// A constant of a type that is known to be well-formed.
    pub(super) fn constant(&mut self, ty: &Type, value: &Constant, depth: u32) {
        if depth > MAX_DEPTH {
            self.error(format!("a constant is nested more than {MAX_DEPTH} deep"));
            return;
        }
        match value {
            Constant::Int(bits) => {
                let fits = match ty {
                    Type::Scalar(Scalar::Int(width)) => *width >= 64 || bits >> width == 0,
                    _ => false,
                };
                self.check(fits, || format!("integer {bits} is no `{ty}`"));
            }
            Constant::Float(bits) => {
                let fits = match ty {
                    Type::Scalar(scalar) if scalar.is_float() => {
                        scalar.bits() >= 64 || bits >> scalar.bits() == 0
                    }
                    _ => false,
                };
                self.check(fits, || format!("bits {bits:#x} are no `{ty}`"));
            }
            Constant::Zero | Constant::Undef | Constant::Poison => {}
            Constant::Aggregate(elements) => self.aggregate(ty, elements, depth),
            Constant::Global(id) => match self.module.globals.get(id.index()) {
                Some(global) => {
                    self.same("the address of a variable", ty, &Type::ptr(global.space));
                }
                None => self.error("a constant refers to a variable that does not exist"),
            },
            Constant::Function(id) => {
                self.check(id.index() < self.module.functions.len(), || {
                    "a constant refers to a function that does not exist".into()
                });
                self.check(ty.is_ptr(), || format!("the address of a function is no `{ty}`"));
            }
            Constant::Expr(expr) => self.expression(ty, expr, depth),
        }
    }

    fn typed(&mut self, constant: &TypedConstant, depth: u32) -> bool {
        let known = self.value_type(&constant.ty);
        if known {
            self.constant(&constant.ty, &constant.value, depth);
        }
        known
    }

    fn aggregate(&mut self, ty: &Type, elements: &[TypedConstant], depth: u32) {
        let count = match ty {
            Type::Vector(_, lanes) => u64::from(*lanes),
            Type::Array(_, count) => *count,
            Type::Struct(structure) => structure.fields.len() as u64,
            Type::Void | Type::Scalar(_) | Type::Metadata => {
                self.error(format!("a `{ty}` has no elements"));
                return;
            }
        };
        if !self.check(elements.len() as u64 == count, || {
            format!("a `{ty}` has {count} elements, not {}", elements.len())
        }) {
            return;
        }
        for (index, element) in elements.iter().enumerate() {
            let fits = match ty {
                Type::Vector(scalar, _) => element.ty == Type::Scalar(*scalar),
                Type::Array(inner, _) => element.ty == **inner,
                Type::Struct(structure) => element.ty == structure.fields[index],
                Type::Void | Type::Scalar(_) | Type::Metadata => false,
            };
            if !self.check(fits, || format!("element {index} of a `{ty}` is a `{}`", element.ty)) {
                return;
            }
            self.constant(&element.ty, &element.value, depth + 1);
        }
    }

    fn expression(&mut self, ty: &Type, expr: &ConstantExpr, depth: u32) {
        match expr {
            ConstantExpr::Gep { source, base, indices, inbounds: _ } => {
                let mut known = self.value_type(source) && self.typed(base, depth + 1);
                for index in indices {
                    known &= self.typed(index, depth + 1);
                }
                if !known {
                    return;
                }
                let steps: Vec<(&Type, Option<u64>)> =
                    indices.iter().map(|index| (&index.ty, index.as_int())).collect();
                if let Some(result) = self.address(source, &base.ty, &steps) {
                    self.same("a constant address", ty, &result);
                }
            }
            ConstantExpr::Cast { op, value } => {
                if self.typed(value, depth + 1)
                    && let Some(problem) = cast_problem(*op, &value.ty, ty)
                {
                    self.error(problem);
                }
            }
            ConstantExpr::Binary { op, lhs, rhs } => {
                if self.typed(lhs, depth + 1) && self.typed(rhs, depth + 1) {
                    self.check(lhs.ty == rhs.ty && lhs.ty == *ty, || {
                        format!("`{}` of `{}` and `{}` is no `{ty}`", op.name(), lhs.ty, rhs.ty)
                    });
                    let fits = if op.is_float() { ty.is_float() } else { ty.is_int() };
                    self.check(fits, || format!("`{}` does not work on `{ty}`", op.name()));
                }
            }
        }
    }
}
