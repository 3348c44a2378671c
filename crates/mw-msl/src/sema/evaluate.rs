//! Constant evaluation: runs typed expressions and `constexpr` functions, in bounded time.

use super::scope::BodyState;
use super::{R, Sema};
use crate::ast::BinaryOp;
use crate::hir::{
    Block, Cast, Constant, Expr, ExprKind, FunctionId, GlobalId, GlobalKind, LocalId, Place, PlaceKind, Stmt,
    StmtKind,
};
use crate::types::{Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;
use std::rc::Rc;

/// How many steps one evaluation may take.
const MAX_STEPS: u32 = 1 << 20;
/// How deep calls may nest.
const MAX_CALLS: usize = 200;

/// A value while evaluating.
#[derive(Clone, Debug)]
enum Value {
    Undefined,
    Zero,
    Int(i128),
    Float(f64),
    Aggregate(Vec<Value>),
    Union(u32, Box<Value>),
    Pointer(Pointer),
    Function(FunctionId),
}

/// The way to an object.
#[derive(Clone, Debug, PartialEq)]
struct Pointer {
    root: Root,
    path: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
enum Root {
    /// Depth of the call, and its local.
    Local(usize, LocalId),
    Global(GlobalId),
}

/// Why an evaluation ended without a value.
struct Stop {
    span: Span,
    why: String,
}

type E<T> = Result<T, Stop>;

enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

#[derive(Default)]
struct Machine {
    frames: Vec<rustc_hash::FxHashMap<LocalId, (TypeId, Value)>>,
    steps: u32,
}

fn stop<T>(span: Span, why: impl Into<String>) -> E<T> {
    Err(Stop { span, why: why.into() })
}

impl Sema<'_> {
    /// The value of an expression, or an error that says why it has none when compiling.
    pub(crate) fn evaluate(&mut self, expr: &Expr, span: Span) -> R<Constant> {
        if let ExprKind::Constant(constant) = &expr.kind
            && !matches!(constant, Constant::Undefined)
        {
            return Ok(constant.clone());
        }
        let mut machine = Machine::default();
        machine.frames.push(rustc_hash::FxHashMap::default());
        match self.eval(&mut machine, expr).and_then(|value| self.to_constant(value, expr.ty, expr.span)) {
            Ok(constant) => Ok(constant),
            Err(reason) => self.fail(|_| {
                let diagnostic =
                    Diagnostic::new(&codes::NOT_CONSTANT, span, "this value is not known when compiling");
                if reason.span == span || reason.span == Span::default() {
                    diagnostic.label(reason.why)
                } else {
                    diagnostic.with_label(reason.span, reason.why)
                }
            }),
        }
    }

    /// A number as a type holds it.
    pub(crate) fn wrap_to(&self, value: i128, ty: TypeId) -> i128 {
        match self.ty(ty) {
            Type::Scalar(scalar) => wrap(value, *scalar),
            Type::Enum(id) => {
                let underlying = self.program.enumeration(*id).underlying;
                wrap(value, underlying)
            }
            _ => value,
        }
    }

    fn to_constant(&self, value: Value, ty: TypeId, span: Span) -> E<Constant> {
        Ok(match value {
            Value::Undefined => Constant::Undefined,
            Value::Zero => match self.ty(ty) {
                Type::Scalar(Scalar::Bool) => Constant::Bool(false),
                Type::Scalar(scalar) if scalar.is_float() => Constant::Float(0.0),
                Type::Scalar(_) | Type::Enum(_) => Constant::Int(0),
                _ => Constant::Zero,
            },
            Value::Int(value) => match self.ty(ty) {
                Type::Scalar(Scalar::Bool) => Constant::Bool(value != 0),
                _ => Constant::Int(value),
            },
            Value::Float(value) => Constant::Float(value),
            Value::Aggregate(values) => {
                let mut parts = Vec::with_capacity(values.len());
                for (at, value) in values.into_iter().enumerate() {
                    let inner = self.part_type(ty, at as u32).unwrap_or(self.t.error);
                    parts.push(self.to_constant(value, inner, span)?);
                }
                Constant::Aggregate(parts)
            }
            Value::Union(at, value) => {
                let inner = self.part_type(ty, at).unwrap_or(self.t.error);
                Constant::Union(at, Box::new(self.to_constant(*value, inner, span)?))
            }
            Value::Function(id) => Constant::Function(id),
            Value::Pointer(pointer) => match pointer.root {
                Root::Global(id) => {
                    let offset = self.path_offset(self.program.global(id).ty.ty, &pointer.path);
                    Constant::Address(id, offset)
                }
                Root::Local(..) => return stop(span, "points to a local variable"),
            },
        })
    }

    fn path_offset(&self, mut ty: TypeId, path: &[u32]) -> i64 {
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
    fn part_type(&self, ty: TypeId, at: u32) -> Option<TypeId> {
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

    fn part_count(&self, ty: TypeId) -> usize {
        match self.ty(ty) {
            Type::Array(_, count) => (*count).min(1 << 20) as usize,
            Type::Record(record) => self.program.record(*record).fields.len(),
            Type::Vector(_, len) | Type::PackedVector(_, len) => *len as usize,
            Type::Matrix { columns, .. } => *columns as usize,
            _ => 0,
        }
    }

    fn from_constant(constant: &Constant) -> Value {
        match constant {
            Constant::Zero => Value::Zero,
            Constant::Undefined => Value::Undefined,
            Constant::Bool(value) => Value::Int(i128::from(*value)),
            Constant::Int(value) => Value::Int(*value),
            Constant::Float(value) => Value::Float(*value),
            Constant::Aggregate(values) => Value::Aggregate(values.iter().map(Self::from_constant).collect()),
            Constant::Union(at, value) => Value::Union(*at, Box::new(Self::from_constant(value))),
            Constant::Address(id, _) => Value::Pointer(Pointer { root: Root::Global(*id), path: Vec::new() }),
            Constant::Function(id) => Value::Function(*id),
        }
    }

    fn eval(&mut self, m: &mut Machine, expr: &Expr) -> E<Value> {
        m.steps += 1;
        if m.steps > MAX_STEPS {
            return stop(expr.span, format!("takes more than {MAX_STEPS} steps"));
        }
        let span = expr.span;
        match &expr.kind {
            ExprKind::Constant(constant) => Ok(Self::from_constant(constant)),
            ExprKind::Load(place) => {
                if let PlaceKind::Swizzle(inner, components) = &place.kind {
                    let pointer = self.locate(m, inner)?;
                    let value = self.load_value(m, &pointer, span)?;
                    return Ok(Value::Aggregate(
                        components.iter().map(|at| part(&value, *at as usize)).collect(),
                    ));
                }
                let pointer = self.locate(m, place)?;
                match self.load_value(m, &pointer, span)? {
                    Value::Undefined
                        if !matches!(self.ty(place.ty.ty), Type::Record(_) | Type::Array(..)) =>
                    {
                        stop(span, "is read before it has a value")
                    }
                    value => Ok(value),
                }
            }
            ExprKind::AddressOf(place) => Ok(Value::Pointer(self.locate(m, place)?)),
            ExprKind::FunctionAddress(id) => Ok(Value::Function(*id)),
            ExprKind::Negate(inner, _) => {
                let ty = inner.ty;
                let value = self.eval(m, inner)?;
                self.each(ty, &value, |scalar, value| match value {
                    Value::Float(value) => Value::Float(-value),
                    value => Value::Int(wrap(-int(&value), scalar)),
                })
                .ok_or_else(|| Stop { span, why: "cannot be negated here".to_owned() })
            }
            ExprKind::Not(inner) => {
                let ty = inner.ty;
                let value = self.eval(m, inner)?;
                self.each(ty, &value, |_, value| Value::Int(i128::from(int(&value) == 0)))
                    .ok_or_else(|| Stop { span, why: "is no condition".to_owned() })
            }
            ExprKind::Complement(inner) => {
                let ty = inner.ty;
                let value = self.eval(m, inner)?;
                self.each(ty, &value, |scalar, value| Value::Int(wrap(!int(&value), scalar)))
                    .ok_or_else(|| Stop { span, why: "has no bits".to_owned() })
            }
            ExprKind::Binary(op, a, b, _) => self.eval_binary(m, *op, a, b, span),
            ExprKind::PointerOffset { pointer, offset, is_subtraction } => {
                let pointer = self.eval(m, pointer)?;
                let offset = self.eval(m, offset)?;
                let Value::Pointer(mut pointer) = pointer else {
                    return stop(span, "is no pointer to step from");
                };
                let by = if *is_subtraction { -int(&offset) } else { int(&offset) };
                match pointer.path.last_mut() {
                    Some(last) => {
                        let at = i128::from(*last) + by;
                        if !(0..=i128::from(u32::MAX)).contains(&at) {
                            return stop(span, "leaves the array");
                        }
                        *last = at as u32;
                    }
                    None if by == 0 => {}
                    None => return stop(span, "leaves the object"),
                }
                Ok(Value::Pointer(pointer))
            }
            ExprKind::PointerDifference(a, b) => {
                let (Value::Pointer(a), Value::Pointer(b)) = (self.eval(m, a)?, self.eval(m, b)?) else {
                    return stop(span, "is no difference of pointers");
                };
                Ok(Value::Int(
                    i128::from(a.path.last().copied().unwrap_or(0))
                        - i128::from(b.path.last().copied().unwrap_or(0)),
                ))
            }
            ExprKind::Conditional(test, then, otherwise) => {
                let test_value = self.eval(m, test)?;
                if let Value::Aggregate(tests) = &test_value {
                    let (a, b) = (self.eval(m, then)?, self.eval(m, otherwise)?);
                    return Ok(Value::Aggregate(
                        tests
                            .iter()
                            .enumerate()
                            .map(|(at, test)| if int(test) != 0 { part(&a, at) } else { part(&b, at) })
                            .collect(),
                    ));
                }
                if int(&test_value) != 0 { self.eval(m, then) } else { self.eval(m, otherwise) }
            }
            ExprKind::Sequence(first, then) => {
                self.eval(m, first)?;
                self.eval(m, then)
            }
            ExprKind::Assign(place, value) => {
                let value = self.eval(m, value)?;
                if let PlaceKind::Swizzle(inner, components) = &place.kind {
                    let pointer = self.locate(m, inner)?;
                    for (from, at) in components.iter().enumerate() {
                        let mut pointer = pointer.clone();
                        pointer.path.push(u32::from(*at));
                        self.store(m, &pointer, part(&value, from), span)?;
                    }
                    return Ok(Value::Zero);
                }
                let pointer = self.locate(m, place)?;
                self.store(m, &pointer, value, span)?;
                Ok(Value::Zero)
            }
            ExprKind::LetPointer { local, place, then } => {
                let pointer = self.locate(m, place)?;
                let ty = self.t.error;
                Self::set_local(m, *local, ty, Value::Pointer(pointer));
                self.eval(m, then)
            }
            ExprKind::LetTemporary { local, value, then } => {
                let ty = value.ty;
                let value = self.eval(m, value)?;
                Self::set_local(m, *local, ty, value);
                self.eval(m, then)
            }
            ExprKind::Cast(cast, inner) => self.eval_cast(m, *cast, inner, expr.ty, span),
            ExprKind::Vector(parts) => {
                let mut values = Vec::new();
                for part_expr in parts {
                    let count = self.part_count(part_expr.ty);
                    let value = self.eval(m, part_expr)?;
                    if count == 0 {
                        values.push(value);
                    } else {
                        values.extend((0..count).map(|at| part(&value, at)));
                    }
                }
                Ok(Value::Aggregate(values))
            }
            ExprKind::Splat(inner) => {
                let value = self.eval(m, inner)?;
                Ok(Value::Aggregate(vec![value; self.part_count(expr.ty)]))
            }
            ExprKind::Swizzle(inner, components) => {
                let value = self.eval(m, inner)?;
                Ok(Value::Aggregate(components.iter().map(|at| part(&value, *at as usize)).collect()))
            }
            ExprKind::Extract(inner, index) => {
                let value = self.eval(m, inner)?;
                let index = self.eval(m, index)?;
                Ok(part(&value, int(&index).clamp(0, 1 << 20) as usize))
            }
            ExprKind::MatrixColumns(columns) | ExprKind::Aggregate(columns) => {
                let mut values = Vec::with_capacity(columns.len());
                for column in columns {
                    values.push(self.eval(m, column)?);
                }
                Ok(Value::Aggregate(values))
            }
            ExprKind::MatrixDiagonal(inner) => {
                let value = self.eval(m, inner)?;
                let Type::Matrix { columns, rows, .. } = *self.ty(expr.ty) else {
                    return stop(span, "is no matrix");
                };
                Ok(Value::Aggregate(
                    (0..columns)
                        .map(|column| {
                            Value::Aggregate(
                                (0..rows)
                                    .map(|row| if row == column { value.clone() } else { Value::Float(0.0) })
                                    .collect(),
                            )
                        })
                        .collect(),
                ))
            }
            ExprKind::UnionField(at, inner) => Ok(Value::Union(*at, Box::new(self.eval(m, inner)?))),
            ExprKind::Construct { constructor, arguments } => {
                let mut values = Vec::with_capacity(arguments.len() + 1);
                let local = LocalId(u32::MAX - m.steps);
                Self::set_local(m, local, expr.ty, Value::Undefined);
                let depth = m.frames.len() - 1;
                values.push(Value::Pointer(Pointer { root: Root::Local(depth, local), path: Vec::new() }));
                for argument in arguments {
                    values.push(self.eval(m, argument)?);
                }
                self.call_function(m, *constructor, values, span)?;
                let made = m.frames[depth].remove(&local).map(|(_, value)| value);
                Ok(made.unwrap_or(Value::Undefined))
            }
            ExprKind::Call { function, arguments } => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.eval(m, argument)?);
                }
                self.call_function(m, *function, values, span)
            }
            ExprKind::CallPointer { pointer, arguments } => {
                let Value::Function(function) = self.eval(m, pointer)? else {
                    return stop(span, "is no function");
                };
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.eval(m, argument)?);
                }
                self.call_function(m, function, values, span)
            }
            ExprKind::Builtin(call) => {
                let name = call.builtin.row().name;
                let mut values = Vec::with_capacity(call.arguments.len());
                for argument in &call.arguments {
                    values.push(self.eval(m, argument)?);
                }
                let scalar = match self.ty(expr.ty) {
                    Type::Scalar(scalar) => *scalar,
                    _ => return stop(span, format!("`{name}` is not evaluated when compiling")),
                };
                let argument =
                    call.arguments.first().and_then(|first| self.as_scalar(first.ty)).unwrap_or(scalar);
                match library(name, scalar, argument, &values) {
                    Some(value) => Ok(value),
                    None => stop(span, format!("`{name}` is not evaluated when compiling")),
                }
            }
            ExprKind::IsFunctionConstantDefined(_) => stop(span, "is known when the pipeline is made"),
            ExprKind::Error => stop(span, ""),
        }
    }

    /// Applies an operation to a scalar or to each component.
    fn each(&self, ty: TypeId, value: &Value, operation: impl Fn(Scalar, Value) -> Value) -> Option<Value> {
        match self.ty(ty) {
            Type::Scalar(scalar) => Some(operation(*scalar, scalar_value(value, *scalar))),
            Type::Vector(scalar, len) | Type::PackedVector(scalar, len) => Some(Value::Aggregate(
                (0..*len as usize)
                    .map(|at| operation(*scalar, scalar_value(&part(value, at), *scalar)))
                    .collect(),
            )),
            _ => None,
        }
    }

    fn eval_binary(&mut self, m: &mut Machine, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> E<Value> {
        let ty = a.ty;
        let left = self.eval(m, a)?;
        if let Type::Scalar(_) = self.ty(ty) {
            match op {
                BinaryOp::LogicalAnd if int(&left) == 0 => return Ok(Value::Int(0)),
                BinaryOp::LogicalOr if int(&left) != 0 => return Ok(Value::Int(1)),
                BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {
                    let right = self.eval(m, b)?;
                    return Ok(Value::Int(i128::from(int(&right) != 0)));
                }
                _ => {}
            }
        }
        let right = self.eval(m, b)?;
        match self.ty(ty).clone() {
            Type::Scalar(scalar) => operate(op, scalar, &left, &right).ok_or_else(|| Stop {
                span,
                why: "has no value (division by zero, shift or overflow)".to_owned(),
            }),
            Type::Vector(scalar, len) => {
                let mut values = Vec::with_capacity(len as usize);
                for at in 0..len as usize {
                    match operate(op, scalar, &part(&left, at), &part(&right, at)) {
                        Some(value) => values.push(value),
                        None => return stop(span, "has no value"),
                    }
                }
                Ok(Value::Aggregate(values))
            }
            Type::Pointer(_) | Type::NullPointer => {
                let equal = match (&left, &right) {
                    (Value::Pointer(a), Value::Pointer(b)) => a == b,
                    (Value::Function(a), Value::Function(b)) => a == b,
                    (Value::Zero, Value::Zero) => true,
                    _ => false,
                };
                match op {
                    BinaryOp::Equal => Ok(Value::Int(i128::from(equal))),
                    BinaryOp::NotEqual => Ok(Value::Int(i128::from(!equal))),
                    _ => match (&left, &right) {
                        (Value::Pointer(a), Value::Pointer(b)) if a.root == b.root => {
                            let (x, y) =
                                (a.path.last().copied().unwrap_or(0), b.path.last().copied().unwrap_or(0));
                            operate(op, Scalar::Long, &Value::Int(x.into()), &Value::Int(y.into()))
                                .ok_or_else(|| Stop { span, why: "compares pointers".to_owned() })
                        }
                        _ => stop(span, "compares unrelated pointers"),
                    },
                }
            }
            _ => stop(span, "is not evaluated when compiling"),
        }
    }

    fn eval_cast(&mut self, m: &mut Machine, cast: Cast, inner: &Expr, to: TypeId, span: Span) -> E<Value> {
        let from = inner.ty;
        let value = self.eval(m, inner)?;
        match cast {
            Cast::ToVoid => Ok(Value::Zero),
            Cast::Pointer | Cast::Packed => Ok(value),
            Cast::Enum => Ok(Value::Int(self.wrap_to(int(&value), to))),
            Cast::Numeric => match (self.ty(from).clone(), self.ty(to).clone()) {
                (Type::Scalar(a), Type::Scalar(b)) => Ok(convert_value(&value, a, b)),
                (Type::Vector(a, n), Type::Vector(b, _)) => Ok(Value::Aggregate(
                    (0..n as usize).map(|at| convert_value(&part(&value, at), a, b)).collect(),
                )),
                _ => stop(span, "is not converted when compiling"),
            },
            Cast::Bits => match (self.ty(from).clone(), self.ty(to).clone()) {
                (Type::Scalar(a), Type::Scalar(b)) => Ok(value_of_bits(bits_of(&value, a), b)),
                (a, b) => {
                    // Components one after the other, lowest first.
                    let parts = |ty: &Type| match ty {
                        Type::Scalar(scalar) => Some((*scalar, 1usize)),
                        Type::Vector(scalar, len) | Type::PackedVector(scalar, len) => {
                            Some((*scalar, *len as usize))
                        }
                        _ => None,
                    };
                    let (Some((x, n)), Some((y, k))) = (parts(&a), parts(&b)) else {
                        return stop(span, "is not read as another type when compiling");
                    };
                    let mut bits: u128 = 0;
                    for at in 0..n.min(8) {
                        let component = if n == 1 { value.clone() } else { part(&value, at) };
                        bits |= bits_of(&component, x)
                            .checked_shl((at as u64 * 8 * x.size_bytes()) as u32)
                            .unwrap_or(0);
                    }
                    let component = |at: usize| {
                        let width = 8 * y.size_bytes();
                        let raw = bits.checked_shr((at as u64 * width) as u32).unwrap_or(0);
                        value_of_bits(raw & ((1u128 << width) - 1), y)
                    };
                    if k == 1 {
                        Ok(component(0))
                    } else {
                        Ok(Value::Aggregate((0..k).map(component).collect()))
                    }
                }
            },
            Cast::Matrix => match (self.ty(from).clone(), self.ty(to).clone()) {
                (Type::Matrix { element: a, columns, rows }, Type::Matrix { element: b, .. }) => {
                    Ok(Value::Aggregate(
                        (0..columns as usize)
                            .map(|column| {
                                let column = part(&value, column);
                                Value::Aggregate(
                                    (0..rows as usize)
                                        .map(|row| convert_value(&part(&column, row), a, b))
                                        .collect(),
                                )
                            })
                            .collect(),
                    ))
                }
                _ => stop(span, "is not converted when compiling"),
            },
            Cast::PointerToInt => match value {
                Value::Zero => Ok(Value::Int(0)),
                Value::Pointer(_) | Value::Function(_) if self.as_scalar(to) == Some(Scalar::Bool) => {
                    Ok(Value::Int(1))
                }
                _ => stop(span, "an address is not known when compiling"),
            },
            Cast::IntToPointer if int(&value) == 0 => Ok(Value::Zero),
            Cast::IntToPointer | Cast::SimdgroupMatrix => stop(span, "is not converted when compiling"),
        }
    }

    /// Where a place is.
    fn locate(&mut self, m: &mut Machine, place: &Place) -> E<Pointer> {
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

    fn set_local(m: &mut Machine, local: LocalId, ty: TypeId, value: Value) {
        if let Some(frame) = m.frames.last_mut() {
            frame.insert(local, (ty, value));
        }
    }

    fn load_value(&mut self, m: &mut Machine, pointer: &Pointer, span: Span) -> E<Value> {
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

    fn store(&mut self, m: &mut Machine, pointer: &Pointer, value: Value, span: Span) -> E<()> {
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

    fn call_function(
        &mut self,
        m: &mut Machine,
        id: FunctionId,
        arguments: Vec<Value>,
        span: Span,
    ) -> E<Value> {
        if m.frames.len() > MAX_CALLS {
            return stop(span, format!("calls nest deeper than {MAX_CALLS}"));
        }
        let Some(instance) = self.instance_of.get(id.0 as usize).copied() else {
            return stop(span, "is not called when compiling");
        };
        if self.instance(instance).state != BodyState::Done {
            if self.instance(instance).state == BodyState::Checking {
                return stop(span, "calls the function that is being checked");
            }
            self.check_now(instance);
        }
        let body = match self.bodies.get(&id) {
            Some(body) => body.clone(),
            None => match &self.program.function(id).body {
                Some(body) => {
                    let body = Rc::new(body.clone());
                    self.bodies.insert(id, body.clone());
                    body
                }
                None => return stop(span, "has no body to evaluate"),
            },
        };
        let mut frame = rustc_hash::FxHashMap::default();
        for (at, value) in arguments.into_iter().enumerate() {
            let ty = self.program.function(id).locals.get(at).map_or(self.t.error, |local| local.ty.ty);
            frame.insert(LocalId(at as u32), (ty, value));
        }
        m.frames.push(frame);
        let result = self.run_block(m, id, &body);
        m.frames.pop();
        match result? {
            Flow::Return(value) => Ok(value),
            _ => Ok(Value::Zero),
        }
    }

    fn run_block(&mut self, m: &mut Machine, id: FunctionId, block: &Block) -> E<Flow> {
        for stmt in block {
            match self.run_stmt(m, id, stmt)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn run_stmt(&mut self, m: &mut Machine, id: FunctionId, stmt: &Stmt) -> E<Flow> {
        m.steps += 1;
        if m.steps > MAX_STEPS {
            return stop(stmt.span, format!("takes more than {MAX_STEPS} steps"));
        }
        match &stmt.kind {
            StmtKind::Expr(expr) => {
                self.eval(m, expr)?;
                Ok(Flow::Next)
            }
            StmtKind::Let(local, value) => {
                let ty = self
                    .program
                    .function(id)
                    .locals
                    .get(local.0 as usize)
                    .map_or(self.t.error, |local| local.ty.ty);
                let value = match value {
                    Some(value) => self.eval(m, value)?,
                    None => Value::Undefined,
                };
                Self::set_local(m, *local, ty, value);
                Ok(Flow::Next)
            }
            StmtKind::Block(block) => self.run_block(m, id, block),
            StmtKind::If { condition, then, otherwise } => {
                let test = self.eval(m, condition)?;
                if int(&test) != 0 { self.run_block(m, id, then) } else { self.run_block(m, id, otherwise) }
            }
            StmtKind::Loop { before_condition, condition, step, body, .. } => loop {
                if let flow @ (Flow::Return(_) | Flow::Break) = self.run_block(m, id, before_condition)? {
                    return Ok(flow);
                }
                if let Some(condition) = condition {
                    let test = self.eval(m, condition)?;
                    if int(&test) == 0 {
                        return Ok(Flow::Next);
                    }
                }
                match self.run_block(m, id, body)? {
                    Flow::Break => return Ok(Flow::Next),
                    flow @ Flow::Return(_) => return Ok(flow),
                    Flow::Next | Flow::Continue => {}
                }
                if let Some(step) = step {
                    self.eval(m, step)?;
                }
                m.steps += 1;
                if m.steps > MAX_STEPS {
                    return stop(stmt.span, format!("takes more than {MAX_STEPS} steps"));
                }
            },
            StmtKind::DoWhile { body, condition, .. } => loop {
                match self.run_block(m, id, body)? {
                    Flow::Break => return Ok(Flow::Next),
                    flow @ Flow::Return(_) => return Ok(flow),
                    Flow::Next | Flow::Continue => {}
                }
                let test = self.eval(m, condition)?;
                if int(&test) == 0 {
                    return Ok(Flow::Next);
                }
            },
            StmtKind::Switch { value, cases } => {
                let value = self.eval(m, value)?;
                let value = int(&value);
                let start = cases
                    .iter()
                    .position(|case| case.values.contains(&value))
                    .or_else(|| cases.iter().position(|case| case.is_default));
                if let Some(start) = start {
                    for case in &cases[start..] {
                        match self.run_block(m, id, &case.body)? {
                            Flow::Next => {}
                            Flow::Break => return Ok(Flow::Next),
                            flow => return Ok(flow),
                        }
                    }
                }
                Ok(Flow::Next)
            }
            StmtKind::Break => Ok(Flow::Break),
            StmtKind::Continue => Ok(Flow::Continue),
            StmtKind::Return(value) => Ok(Flow::Return(match value {
                Some(value) => self.eval(m, value)?,
                None => Value::Zero,
            })),
        }
    }
}

fn part(value: &Value, at: usize) -> Value {
    match value {
        Value::Aggregate(parts) => parts.get(at).cloned().unwrap_or(Value::Zero),
        Value::Undefined => Value::Undefined,
        _ => Value::Zero,
    }
}

fn int(value: &Value) -> i128 {
    match value {
        Value::Int(value) => *value,
        Value::Float(value) => *value as i128,
        Value::Pointer(_) | Value::Function(_) => 1,
        _ => 0,
    }
}

fn float(value: &Value) -> f64 {
    match value {
        Value::Float(value) => *value,
        Value::Int(value) => *value as f64,
        _ => 0.0,
    }
}

fn scalar_value(value: &Value, scalar: Scalar) -> Value {
    if scalar.is_float() { Value::Float(float(value)) } else { Value::Int(int(value)) }
}

fn convert_value(value: &Value, from: Scalar, to: Scalar) -> Value {
    if from.is_float() {
        let number = float(value);
        return if to.is_float() {
            Value::Float(round(number, to))
        } else if to == Scalar::Bool {
            Value::Int(i128::from(number != 0.0))
        } else {
            Value::Int(saturate(number, to))
        };
    }
    let number = int(value);
    if to.is_float() { Value::Float(round_integer(number, to)) } else { Value::Int(wrap(number, to)) }
}

/// A float as an integer: out of range it stops at the ends, as GPUs do.
fn saturate(value: f64, to: Scalar) -> i128 {
    if value.is_nan() {
        return 0;
    }
    let bits = 8 * to.size_bytes() as u32;
    let (low, high) = if to.is_signed_integer() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    (value as i128).clamp(low, high)
}

/// An integer in the range of a type.
pub(crate) fn wrap(value: i128, scalar: Scalar) -> i128 {
    match scalar {
        Scalar::Bool => i128::from(value != 0),
        Scalar::Char => i128::from(value as i8),
        Scalar::UChar => i128::from(value as u8),
        Scalar::Short => i128::from(value as i16),
        Scalar::UShort => i128::from(value as u16),
        Scalar::Int => i128::from(value as i32),
        Scalar::UInt => i128::from(value as u32),
        Scalar::Long => i128::from(value as i64),
        Scalar::ULong => i128::from(value as u64),
        Scalar::Half | Scalar::BFloat | Scalar::Float => value,
    }
}

/// A number rounded to a floating-point type, to the nearest and even.
pub(crate) fn round(value: f64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Float => f64::from(value as f32),
        Scalar::Half => round_bits(value, 11, -14, 65504.0),
        Scalar::BFloat => round_bits(value, 8, -126, f64::from(f32::from_bits(0x7f7f_0000))),
        _ => value,
    }
}

fn round_integer(value: i128, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Float => f64::from(value as f32),
        _ => round(value as f64, scalar),
    }
}

/// Rounds to a precision in bits; numbers below the least exponent lose bits.
fn round_bits(value: f64, precision: i32, least: i32, most: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let unit = exponent.max(least) - (precision - 1);
    let scale = 2f64.powi(unit);
    let rounded = (value / scale).round_ties_even() * scale;
    if rounded.abs() > most { f64::INFINITY.copysign(value) } else { rounded }
}

fn bits_of(value: &Value, scalar: Scalar) -> u128 {
    if scalar.is_float() {
        let number = float(value);
        return match scalar {
            Scalar::Float => u128::from((number as f32).to_bits()),
            Scalar::BFloat => u128::from((number as f32).to_bits() >> 16),
            _ => u128::from(half_bits(number)),
        };
    }
    let width = 8 * scalar.size_bytes();
    (int(value) as u128) & ((1u128 << width) - 1)
}

fn value_of_bits(bits: u128, scalar: Scalar) -> Value {
    match scalar {
        Scalar::Float => Value::Float(f64::from(f32::from_bits(bits as u32))),
        Scalar::BFloat => Value::Float(f64::from(f32::from_bits((bits as u32) << 16))),
        Scalar::Half => Value::Float(half_value(bits as u16)),
        _ => Value::Int(wrap(bits as i128, scalar)),
    }
}

fn half_bits(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let value = round(value, Scalar::Half).abs();
    if value.is_nan() {
        return sign | 0x7e00;
    }
    if value.is_infinite() {
        return sign | 0x7c00;
    }
    if value < 2f64.powi(-14) {
        return sign | (value * 2f64.powi(24)) as u16;
    }
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let fraction = ((value / 2f64.powi(exponent) - 1.0) * 1024.0) as u16;
    sign | (((exponent + 15) as u16) << 10) | fraction
}

fn half_value(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from((bits >> 10) & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

fn operate(op: BinaryOp, scalar: Scalar, a: &Value, b: &Value) -> Option<Value> {
    if scalar.is_float() {
        let (x, y) = (float(a), float(b));
        let number = |value: f64| Some(Value::Float(round(value, scalar)));
        let truth = |value: bool| Some(Value::Int(i128::from(value)));
        return match op {
            BinaryOp::Add => number(x + y),
            BinaryOp::Sub => number(x - y),
            BinaryOp::Mul => number(x * y),
            BinaryOp::Div => number(x / y),
            BinaryOp::Equal => truth(x == y),
            BinaryOp::NotEqual => truth(x != y),
            BinaryOp::Less => truth(x < y),
            BinaryOp::LessEqual => truth(x <= y),
            BinaryOp::Greater => truth(x > y),
            BinaryOp::GreaterEqual => truth(x >= y),
            _ => None,
        };
    }
    integer_operation(op, int(a), int(b), scalar).map(|constant| match constant {
        Constant::Bool(value) => Value::Int(i128::from(value)),
        Constant::Int(value) => Value::Int(value),
        _ => Value::Zero,
    })
}

/// An operation on integers of one type; none if it has no value.
pub(crate) fn integer_operation(op: BinaryOp, a: i128, b: i128, scalar: Scalar) -> Option<Constant> {
    let bits = 8 * scalar.size_bytes() as i128;
    let number = |value: i128| Some(Constant::Int(wrap(value, scalar)));
    match op {
        BinaryOp::Add => number(a + b),
        BinaryOp::Sub => number(a - b),
        BinaryOp::Mul => number(a.wrapping_mul(b)),
        BinaryOp::Div if b != 0 => number(a / b),
        BinaryOp::Rem if b != 0 => number(a % b),
        BinaryOp::ShiftLeft if (0..bits).contains(&b) => number(a << b),
        BinaryOp::ShiftRight if (0..bits).contains(&b) => number(a >> b),
        BinaryOp::And => number(a & b),
        BinaryOp::Or => number(a | b),
        BinaryOp::Xor => number(a ^ b),
        BinaryOp::LogicalAnd => Some(Constant::Bool(a != 0 && b != 0)),
        BinaryOp::LogicalOr => Some(Constant::Bool(a != 0 || b != 0)),
        BinaryOp::Equal => Some(Constant::Bool(a == b)),
        BinaryOp::NotEqual => Some(Constant::Bool(a != b)),
        BinaryOp::Less => Some(Constant::Bool(a < b)),
        BinaryOp::LessEqual => Some(Constant::Bool(a <= b)),
        BinaryOp::Greater => Some(Constant::Bool(a > b)),
        BinaryOp::GreaterEqual => Some(Constant::Bool(a >= b)),
        _ => None,
    }
}

/// A scalar constant as another scalar type.
pub(crate) fn convert_scalar(constant: &Constant, from: Scalar, to: Scalar) -> Option<Constant> {
    let value = match constant {
        Constant::Bool(value) => Value::Int(i128::from(*value)),
        Constant::Int(value) => Value::Int(*value),
        Constant::Float(value) => Value::Float(*value),
        Constant::Zero => Value::Zero,
        _ => return None,
    };
    Some(match convert_value(&value, from, to) {
        Value::Float(value) => Constant::Float(value),
        value if to == Scalar::Bool => Constant::Bool(int(&value) != 0),
        value => Constant::Int(int(&value)),
    })
}

/// Functions of the library that constant expressions call.
fn library(name: &str, scalar: Scalar, argument: Scalar, values: &[Value]) -> Option<Value> {
    let name = name.strip_prefix("__metal_").or_else(|| name.strip_prefix("__builtin_")).unwrap_or(name);
    let name = name.trim_end_matches("ll").trim_end_matches('l');
    let first = values.first()?;
    if scalar.is_float() {
        let x = float(first);
        let y = values.get(1).map(float);
        let value = match (name, y) {
            ("min" | "fmin", Some(y)) => x.min(y),
            ("max" | "fmax", Some(y)) => x.max(y),
            ("abs" | "fabs", _) => x.abs(),
            ("floor", _) => x.floor(),
            ("ceil", _) => x.ceil(),
            ("trunc", _) => x.trunc(),
            ("sqrt", _) => x.sqrt(),
            ("rint", _) => x.round_ties_even(),
            ("clamp", Some(low)) => x.max(low).min(float(values.get(2)?)),
            _ => return None,
        };
        return Some(Value::Float(round(value, scalar)));
    }
    let x = int(first);
    let y = values.get(1).map(int);
    // The bits are those of the argument, whatever the type of the result.
    let bits = 8 * argument.size_bytes() as u32;
    let unsigned = (x as u128) & ((1u128 << bits) - 1);
    Some(Value::Int(match (name, y) {
        ("min", Some(y)) => x.min(y),
        ("max", Some(y)) => x.max(y),
        ("abs", _) => x.abs(),
        ("clamp", Some(low)) => x.max(low).min(int(values.get(2)?)),
        ("popcount", _) => i128::from(unsigned.count_ones()),
        ("clz", _) => i128::from(unsigned.leading_zeros() - (128 - bits)),
        ("ctz", _) => i128::from(unsigned.trailing_zeros().min(bits)),
        _ => return None,
    }))
}

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
