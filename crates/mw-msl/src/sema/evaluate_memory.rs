//! Constant evaluation: objects, and the ways to their parts.

use super::Sema;
use super::evaluate::{E, Machine, Pointer, Root, Value, stop};
use super::evaluate_number::int;
use crate::hir::{Constant, GlobalKind, LocalId, Place, PlaceKind};
use crate::types::{Type, TypeId};
use mw_source::Span;

impl Sema<'_> {
    pub(crate) fn path_offset(&self, mut ty: TypeId, path: &[u32]) -> i64 {
        let mut offset = 0;
        for at in path {
            match self.ty(ty) {
                Type::Record(record) => {
                    if let Some(field) = self.program.record(*record).fields.get(*at as usize) {
                        offset += field.offset_bytes as i64;
                        ty = field.ty.ty;
                    }
                }
                _ => {
                    if let Some(inner) = self.part_type(ty, *at) {
                        offset += self.program.layout(inner).0 as i64 * i64::from(*at);
                        ty = inner;
                    }
                }
            }
        }
        offset
    }

    /// The type of a part of an object.
    pub(crate) fn part_type(&self, ty: TypeId, at: u32) -> Option<TypeId> {
        match self.ty(ty) {
            Type::Array(element, _) => Some(*element),
            Type::Record(record) => {
                self.program.record(*record).fields.get(at as usize).map(|field| field.ty.ty)
            }
            Type::Vector(scalar, _) | Type::PackedVector(scalar, _) => {
                self.program.types.find(&Type::Scalar(*scalar))
            }
            Type::Matrix { element, rows, .. } => self.program.types.find(&Type::Vector(*element, *rows)),
            _ => None,
        }
    }

    pub(crate) fn part_count(&self, ty: TypeId) -> usize {
        match self.ty(ty) {
            Type::Array(_, count) => (*count).min(1 << 20) as usize,
            Type::Record(record) => self.program.record(*record).fields.len(),
            Type::Vector(_, len) | Type::PackedVector(_, len) => *len as usize,
            Type::Matrix { columns, .. } => *columns as usize,
            _ => 0,
        }
    }

    /// Where a place is.
    pub(crate) fn locate(&mut self, m: &mut Machine, place: &Place) -> E<Pointer> {
        m.steps += 1;
        let span = place.span;
        match &place.kind {
            PlaceKind::Local(local) => {
                let depth = m.frames.len() - 1;
                if !m.frames[depth].contains_key(local) {
                    // A constant of the function that is being checked.
                    let constant =
                        (depth == 0).then(|| self.constants.get(&(self.frame.id, *local)).cloned()).flatten();
                    let Some(constant) = constant else {
                        return stop(span, "is a variable whose value is not known when compiling");
                    };
                    let ty = place.ty.ty;
                    Self::set_local(m, *local, ty, Self::from_constant(&constant));
                }
                Ok(Pointer { root: Root::Local(depth, *local), path: Vec::new() })
            }
            PlaceKind::Global(id) => Ok(Pointer { root: Root::Global(*id), path: Vec::new() }),
            PlaceKind::Deref(pointer) => match self.eval(m, pointer)? {
                Value::Pointer(pointer) => Ok(pointer),
                _ => stop(span, "points nowhere"),
            },
            PlaceKind::Field(inner, at) => {
                let mut pointer = self.locate(m, inner)?;
                pointer.path.push(*at);
                Ok(pointer)
            }
            PlaceKind::Index(inner, index) => {
                let mut pointer = self.locate(m, inner)?;
                let index = self.eval(m, index)?;
                let index = int(&index);
                let count = self.part_count(inner.ty.ty) as i128;
                if index < 0 || index > count {
                    return stop(span, "leaves the array");
                }
                pointer.path.push(index as u32);
                Ok(pointer)
            }
            PlaceKind::Temporary(local, value) => {
                let ty = value.ty;
                let value = self.eval(m, value)?;
                Self::set_local(m, *local, ty, value);
                Ok(Pointer { root: Root::Local(m.frames.len() - 1, *local), path: Vec::new() })
            }
            PlaceKind::Swizzle(..) | PlaceKind::ThreadElements(_) => {
                stop(span, "is not evaluated when compiling")
            }
        }
    }

    pub(crate) fn set_local(m: &mut Machine, local: LocalId, ty: TypeId, value: Value) {
        if let Some(frame) = m.frames.last_mut() {
            frame.insert(local, (ty, value));
        }
    }

    pub(crate) fn load_value(&mut self, m: &mut Machine, pointer: &Pointer, span: Span) -> E<Value> {
        let follow = |mut value: &Value| -> E<Value> {
            for at in &pointer.path {
                value = match value {
                    Value::Aggregate(parts) => match parts.get(*at as usize) {
                        Some(part) => part,
                        None => return Ok(Value::Zero),
                    },
                    Value::Union(active, inner) if active == at => inner,
                    Value::Union(..) => return stop(span, "reads a member of a union that is not set"),
                    Value::Zero => return Ok(Value::Zero),
                    Value::Undefined => return Ok(Value::Undefined),
                    // A part of something that is one number: the number itself (a base without members).
                    _ => return stop(span, "has no parts"),
                };
            }
            Ok(value.clone())
        };
        match &pointer.root {
            Root::Local(depth, local) => match m.frames.get(*depth).and_then(|frame| frame.get(local)) {
                Some((_, value)) => follow(value),
                None => stop(span, "points to a variable that is gone"),
            },
            Root::Global(id) => match &self.program.global(*id).kind {
                GlobalKind::Constant(constant) => {
                    // Only the part that is asked for is made into a value.
                    let mut constant = constant;
                    for at in &pointer.path {
                        constant = match constant {
                            Constant::Aggregate(parts) => match parts.get(*at as usize) {
                                Some(part) => part,
                                None => return Ok(Value::Zero),
                            },
                            Constant::Union(active, inner) if active == at => inner,
                            Constant::Zero => return Ok(Value::Zero),
                            _ => return stop(span, "has no such part"),
                        };
                    }
                    Ok(Self::from_constant(constant))
                }
                GlobalKind::Threadgroup => stop(span, "lives in threadgroup memory"),
                GlobalKind::FunctionConstant { .. } | GlobalKind::Derived(_) => {
                    stop(span, "is a function constant: its value is known when the pipeline is made")
                }
            },
        }
    }

    pub(crate) fn store(&mut self, m: &mut Machine, pointer: &Pointer, value: Value, span: Span) -> E<()> {
        let Root::Local(depth, local) = pointer.root else {
            return stop(span, "changes a constant");
        };
        let Some((ty, slot)) = m.frames.get_mut(depth).and_then(|frame| frame.get_mut(&local)) else {
            return stop(span, "changes a variable that is gone");
        };
        let mut ty = *ty;
        let mut at: &mut Value = slot;
        for step in &pointer.path {
            let is_union =
                matches!(self.ty(ty), Type::Record(record) if self.program.record(*record).is_union);
            let inner = self.part_type(ty, *step);
            if is_union {
                if !matches!(at, Value::Union(active, _) if active == step) {
                    *at = Value::Union(*step, Box::new(Value::Undefined));
                }
                let Value::Union(_, next) = at else { return stop(span, "is no union") };
                at = next;
            } else {
                let count = self.part_count(ty).max(*step as usize + 1);
                let fill = match at {
                    Value::Zero => Some(Value::Zero),
                    Value::Undefined => Some(Value::Undefined),
                    _ => None,
                };
                if let Some(fill) = fill {
                    *at = Value::Aggregate(vec![fill; count]);
                }
                let Value::Aggregate(parts) = at else { return stop(span, "has no parts") };
                if parts.len() < count {
                    parts.resize(count, Value::Zero);
                }
                at = &mut parts[*step as usize];
            }
            ty = inner.unwrap_or(ty);
        }
        *at = value;
        Ok(())
    }
}

pub(crate) fn part(value: &Value, at: usize) -> Value {
    match value {
        Value::Aggregate(parts) => parts.get(at).cloned().unwrap_or(Value::Zero),
        Value::Undefined => Value::Undefined,
        _ => Value::Zero,
    }
}
