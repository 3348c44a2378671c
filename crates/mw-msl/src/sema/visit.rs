//! Walks over typed expressions.

use crate::hir::{Expr, ExprKind, GlobalId, Place, PlaceKind};

/// The variable in which an object lies.
pub(crate) fn root_global(place: &Place) -> Option<GlobalId> {
    match &place.kind {
        PlaceKind::Global(id) => Some(*id),
        PlaceKind::Field(inner, _)
        | PlaceKind::Index(inner, _)
        | PlaceKind::Swizzle(inner, _)
        | PlaceKind::ThreadElements(inner) => root_global(inner),
        PlaceKind::Local(_) | PlaceKind::Deref(_) | PlaceKind::Temporary(..) => None,
    }
}

/// Calls `see` for an expression and all inside of it.
pub(crate) fn visit(expr: &Expr, see: &mut impl FnMut(&Expr)) {
    see(expr);
    match &expr.kind {
        ExprKind::Constant(_)
        | ExprKind::FunctionAddress(_)
        | ExprKind::IsFunctionConstantDefined(_)
        | ExprKind::Error => {}
        ExprKind::Load(place) | ExprKind::AddressOf(place) => visit_place(place, see),
        ExprKind::Negate(inner, _)
        | ExprKind::Not(inner)
        | ExprKind::Complement(inner)
        | ExprKind::Cast(_, inner)
        | ExprKind::Splat(inner)
        | ExprKind::Swizzle(inner, _)
        | ExprKind::MatrixDiagonal(inner)
        | ExprKind::UnionField(_, inner) => visit(inner, see),
        ExprKind::Binary(_, a, b, _)
        | ExprKind::PointerDifference(a, b)
        | ExprKind::Sequence(a, b)
        | ExprKind::Extract(a, b) => {
            visit(a, see);
            visit(b, see);
        }
        ExprKind::PointerOffset { pointer, offset, .. } => {
            visit(pointer, see);
            visit(offset, see);
        }
        ExprKind::Conditional(a, b, c) => {
            visit(a, see);
            visit(b, see);
            visit(c, see);
        }
        ExprKind::Assign(place, value) => {
            visit_place(place, see);
            visit(value, see);
        }
        ExprKind::LetPointer { place, then, .. } => {
            visit_place(place, see);
            visit(then, see);
        }
        ExprKind::LetTemporary { value, then, .. } => {
            visit(value, see);
            visit(then, see);
        }
        ExprKind::Vector(parts) | ExprKind::MatrixColumns(parts) | ExprKind::Aggregate(parts) => {
            for part in parts {
                visit(part, see);
            }
        }
        ExprKind::Construct { arguments, .. } | ExprKind::Call { arguments, .. } => {
            for argument in arguments {
                visit(argument, see);
            }
        }
        ExprKind::CallPointer { pointer, arguments } => {
            visit(pointer, see);
            for argument in arguments {
                visit(argument, see);
            }
        }
        ExprKind::Builtin(call) => {
            for argument in &call.arguments {
                visit(argument, see);
            }
        }
    }
}

fn visit_place(place: &Place, see: &mut impl FnMut(&Expr)) {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => {}
        PlaceKind::Deref(pointer) => visit(pointer, see),
        PlaceKind::Field(inner, _) | PlaceKind::Swizzle(inner, _) | PlaceKind::ThreadElements(inner) => {
            visit_place(inner, see);
        }
        PlaceKind::Index(inner, index) => {
            visit_place(inner, see);
            visit(index, see);
        }
        PlaceKind::Temporary(_, value) => visit(value, see),
    }
}
