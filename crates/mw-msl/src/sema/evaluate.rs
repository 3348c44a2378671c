//! Constant evaluation: runs typed expressions and `constexpr` functions, in bounded time.

use super::evaluate_memory::part;
use super::evaluate_number::{
    bits_of, convert_value, int, library, operate, scalar_value, value_of_bits, wrap,
};
use super::{R, Sema};
use crate::ast::BinaryOp;
use crate::hir::{Cast, Constant, Expr, ExprKind, FunctionId, GlobalId, LocalId, PlaceKind};
use crate::types::{Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

/// How many steps one evaluation may take.
pub(crate) const MAX_STEPS: u32 = 1 << 20;

/// How deep calls may nest.
pub(crate) const MAX_CALLS: usize = 200;

/// A value while evaluating.
#[derive(Clone, Debug)]
pub(crate) enum Value {
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
pub(crate) struct Pointer {
    pub(crate) root: Root,
    pub(crate) path: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Root {
    /// Depth of the call, and its local.
    Local(usize, LocalId),
    Global(GlobalId),
}

/// Why an evaluation ended without a value.
pub(crate) struct Stop {
    pub(crate) span: Span,
    pub(crate) why: String,
}

pub(crate) type E<T> = Result<T, Stop>;

pub(crate) enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

#[derive(Default)]
pub(crate) struct Machine {
    pub(crate) frames: Vec<rustc_hash::FxHashMap<LocalId, (TypeId, Value)>>,
    pub(crate) steps: u32,
}

pub(crate) fn stop<T>(span: Span, why: impl Into<String>) -> E<T> {
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
                let message = "this value is not known when compiling";
                let is_inside = reason.span.expansion == span.expansion
                    && span.start <= reason.span.start
                    && reason.span.end <= span.end;
                if reason.span == Span::default() {
                    Diagnostic::new(&codes::NOT_CONSTANT, span, message).label(reason.why)
                } else if is_inside {
                    Diagnostic::new(&codes::NOT_CONSTANT, reason.span, message).label(reason.why)
                } else {
                    Diagnostic::new(&codes::NOT_CONSTANT, span, message).with_label(reason.span, reason.why)
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

    pub(crate) fn from_constant(constant: &Constant) -> Value {
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

    pub(crate) fn eval(&mut self, m: &mut Machine, expr: &Expr) -> E<Value> {
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
}
