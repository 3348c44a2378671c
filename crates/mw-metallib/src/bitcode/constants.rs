//! Constants, at module level and inside functions, in the one numbering that all values share.
//!
//! A constant may refer to others that come later (an aggregate to its elements, an initialiser to a function), so
//! records are kept as they are until something asks for the value. What comes out follows LLVM's own reader:
//! aggregates of zeros are `Zero`, of undefs `Undef`; casts between pointers of one address space vanish, and so do
//! address computations that go nowhere.

use std::sync::Arc;

use mw_air::{BinaryOp, CastOp, Constant, ConstantExpr, FuncId, GlobalId, Scalar, Type, TypedConstant};

use super::budget::{Budget, MAX_CONSTANT_DEPTH};
use super::opcodes::{binary_op, cast_op};
use super::operands::{Operands, decode_signed};
use super::types::Types;
use crate::bitstream::{Event, Record, Stream};
use crate::error::ReadError;

const BLOCK: &str = "CONSTANTS_BLOCK";

/// A constant as its record has it; numbers are value ids.
#[derive(Debug, Clone)]
enum Raw {
    Aggregate(Vec<u32>),
    Cast { op: CastOp, value: u32 },
    Binary { op: BinaryOp, lhs: u32, rhs: u32 },
    Gep { source: Type, base: u32, indices: Vec<u32>, inbounds: bool },
}

#[derive(Debug, Clone)]
enum State {
    Known(Constant, u64),
    Raw(Raw),
    /// Being resolved: meeting it again means that it contains itself.
    Busy,
    /// A parameter, which only takes up a number.
    NotConstant,
}

#[derive(Debug)]
struct Slot {
    ty: Type,
    state: State,
}

/// The values that are known before any instruction: globals, functions, parameters, constants.
#[derive(Debug, Default)]
pub(super) struct Constants {
    slots: Vec<Slot>,
}

impl Constants {
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Forgets everything from value `length` on: the end of a function.
    pub(super) fn truncate(&mut self, length: usize) {
        self.slots.truncate(length);
    }

    pub(super) fn push_global(&mut self, id: GlobalId, ty: Type) {
        self.push(ty, State::Known(Constant::Global(id), 1));
    }

    pub(super) fn push_function(&mut self, id: FuncId, ty: Type) {
        self.push(ty, State::Known(Constant::Function(id), 1));
    }

    pub(super) fn push_param(&mut self, ty: Type) {
        self.push(ty, State::NotConstant);
    }

    fn push(&mut self, ty: Type, state: State) {
        self.slots.push(Slot { ty, state });
    }

    /// Type of a value.
    pub(super) fn ty(&self, id: u32) -> Option<&Type> {
        self.slots.get(id as usize).map(|slot| &slot.ty)
    }

    /// Reads the block that the stream has just entered.
    pub(super) fn read<'a>(
        &mut self,
        stream: &mut Stream<'a>,
        record: &mut Record<'a>,
        types: &Types,
        budget: &mut Budget,
    ) -> Result<(), ReadError> {
        // LLVM starts with `i32`; writers set the type before the first constant all the same.
        let mut ty = Type::I32;
        loop {
            match stream.next(record)? {
                Event::End => return Ok(()),
                Event::Block(_) => stream.skip()?,
                Event::Record if record.code == 1 => {
                    let id = Operands::new(&record.operands, BLOCK, "SETTYPE").next()?;
                    ty = types.any(id)?.clone();
                }
                Event::Record => {
                    let state = read_constant(record, &ty, types)?;
                    if let State::Known(_, weight) = &state {
                        budget.spend(*weight)?;
                    }
                    self.push(ty.clone(), state);
                }
            }
        }
    }

    /// A constant by its value id.
    pub(super) fn typed(&mut self, id: u32, budget: &mut Budget) -> Result<TypedConstant, ReadError> {
        let weight = self.resolve(id, 0)?;
        budget.spend(weight)?;
        let slot = &self.slots[id as usize];
        match &slot.state {
            State::Known(value, _) => Ok(TypedConstant { ty: slot.ty.clone(), value: value.clone() }),
            State::Raw(_) | State::Busy | State::NotConstant => Err(not_constant()),
        }
    }

    /// Whether a value is a constant and not a parameter.
    pub(super) fn is_constant(&self, id: u32) -> bool {
        self.slots.get(id as usize).is_some_and(|slot| !matches!(slot.state, State::NotConstant))
    }

    /// Makes sure that a value is known; gives its weight.
    fn resolve(&mut self, id: u32, depth: u32) -> Result<u64, ReadError> {
        let count = self.slots.len() as u64;
        let Some(slot) = self.slots.get_mut(id as usize) else {
            return Err(ReadError::DanglingReference { what: "constant", index: u64::from(id), count });
        };
        match &slot.state {
            State::Known(_, weight) => return Ok(*weight),
            State::Raw(_) => {}
            State::Busy => return Err(malformed("a constant contains itself")),
            State::NotConstant => return Err(not_constant()),
        }
        if depth >= MAX_CONSTANT_DEPTH {
            return Err(ReadError::Limit {
                what: "levels of nested constants",
                value: u64::from(depth) + 1,
                limit: u64::from(MAX_CONSTANT_DEPTH),
            });
        }
        let ty = slot.ty.clone();
        let State::Raw(raw) = std::mem::replace(&mut slot.state, State::Busy) else {
            return Err(malformed("a constant contains itself"));
        };
        let (constant, weight) = self.build(raw, &ty, depth)?;
        self.slots[id as usize].state = State::Known(constant, weight);
        Ok(weight)
    }

    fn build(&mut self, raw: Raw, ty: &Type, depth: u32) -> Result<(Constant, u64), ReadError> {
        let mut weight = 1_u64;
        let mut part = |id: u32| -> Result<TypedConstant, ReadError> {
            weight = weight.saturating_add(self.resolve(id, depth + 1)?);
            if weight > 1 << 21 {
                return Err(ReadError::Limit {
                    what: "nodes in one constant",
                    value: weight,
                    limit: 1 << 21,
                });
            }
            let slot = &self.slots[id as usize];
            match &slot.state {
                State::Known(value, _) => Ok(TypedConstant { ty: slot.ty.clone(), value: value.clone() }),
                State::Raw(_) | State::Busy | State::NotConstant => Err(not_constant()),
            }
        };
        let constant = match raw {
            Raw::Aggregate(elements) => {
                let parts: Vec<_> = elements.into_iter().map(&mut part).collect::<Result<_, _>>()?;
                for (index, element) in parts.iter().enumerate() {
                    if ty.element(index as u64).as_ref() != Some(&element.ty) {
                        return Err(malformed("the elements of an aggregate have the types that it says"));
                    }
                }
                aggregate(parts)
            }
            Raw::Cast { op, value } => cast(op, part(value)?, ty),
            Raw::Binary { op, lhs, rhs } => {
                Constant::Expr(Arc::new(ConstantExpr::Binary { op, lhs: part(lhs)?, rhs: part(rhs)? }))
            }
            Raw::Gep { source, base, indices, inbounds } => {
                let base = part(base)?;
                let indices: Vec<_> = indices.into_iter().map(&mut part).collect::<Result<_, _>>()?;
                if !base.ty.is_ptr() {
                    return Err(ReadError::Unsupported {
                        what: "a constant address computation on a vector of pointers".into(),
                    });
                }
                if indices.iter().all(|index| index.as_int() == Some(0)) {
                    base.value
                } else {
                    Constant::Expr(Arc::new(ConstantExpr::Gep { source, base, indices, inbounds }))
                }
            }
        };
        Ok((constant, weight))
    }
}

fn read_constant(record: &Record<'_>, ty: &Type, types: &Types) -> Result<State, ReadError> {
    let named = |name| Operands::new(&record.operands, BLOCK, name);
    let known = |constant| Ok(State::Known(constant, 1));
    if matches!(ty, Type::Void | Type::Metadata) {
        return Err(malformed("constants have a type of values"));
    }
    match record.code {
        2 => known(zero_of(ty)),
        3 => known(Constant::Undef),
        26 => known(Constant::Poison),
        4 => {
            let value = decode_signed(named("INTEGER").next()?) as u64;
            match ty {
                Type::Scalar(scalar @ Scalar::Int(_)) => known(Constant::Int(value & mask(*scalar))),
                _ => Err(named("INTEGER").malformed("its type is an integer of at most 64 bits")),
            }
        }
        6 => {
            let value = named("FLOAT").next()?;
            match ty {
                Type::Scalar(scalar) if scalar.is_float() => known(Constant::Float(value & mask(*scalar))),
                _ => Err(named("FLOAT").malformed("its type is a floating-point number")),
            }
        }
        7 => {
            let ids = value_ids(&named("AGGREGATE"))?;
            if element_count(ty) != Some(ids.len() as u64) {
                return Err(named("AGGREGATE").malformed("it has as many elements as its type says"));
            }
            Ok(State::Raw(Raw::Aggregate(ids)))
        }
        8 => data(&record.operands, ty, &named("STRING")),
        9 => {
            let mut with_end = record.operands.clone();
            with_end.push(0);
            data(&with_end, ty, &named("CSTRING"))
        }
        22 => data(&record.operands, ty, &named("DATA")),
        10 => {
            let mut operands = named("CE_BINOP");
            let op = operands.next()?;
            Ok(State::Raw(Raw::Binary {
                op: binary_op(op, ty.is_float())
                    .ok_or_else(|| operands.malformed("unknown arithmetic operation"))?,
                lhs: operands.next_u32()?,
                rhs: operands.next_u32()?,
            }))
        }
        11 => {
            let mut operands = named("CE_CAST");
            let op = operands.next()?;
            let op = cast_op(op).ok_or_else(|| operands.malformed("unknown conversion"))?;
            operands.next()?;
            Ok(State::Raw(Raw::Cast { op, value: operands.next_u32()? }))
        }
        12 | 20 | 24 | 31 | 32 => gep(record.code, named("CE_GEP"), types),
        5 => unsupported("an integer constant of more than 64 bits"),
        13..=17 | 19 | 25 => unsupported(
            "a constant expression other than address computation, conversion and arithmetic of integers",
        ),
        18 | 23 | 28 | 30 => unsupported("inline assembly"),
        21 => unsupported("the address of a block"),
        27 | 29 | 33 | 34 => {
            unsupported("a constant for linkers (`dso_local_equivalent`, `no_cfi`, `ptrauth`)")
        }
        code => Err(ReadError::UnsupportedRecord { block: BLOCK, code, note: "" }),
    }
}

/// Address computations in their four encodings.
fn gep(code: u32, mut operands: Operands<'_>, types: &Types) -> Result<State, ReadError> {
    const OLD: u32 = 12;
    const INBOUNDS: u32 = 20;
    const INRANGE_INDEX: u32 = 24;
    const INRANGE: u32 = 31;
    let explicit = !matches!(code, OLD | INBOUNDS) || operands.len() % 2 == 1;
    if !explicit {
        return Err(operands.malformed("an address computation names the type that it walks through"));
    }
    let source = types.first_class(operands.next()?)?.clone();
    let inbounds = match code {
        OLD => false,
        INBOUNDS => true,
        INRANGE => {
            let flags = operands.next()?;
            // The range (a bit width, then two bounds) is a promise.
            let width = operands.next()?;
            if width > 64 {
                return Err(operands.malformed("an address range is at most 64 bits wide"));
            }
            operands.next()?;
            operands.next()?;
            flags & 1 != 0
        }
        _ => {
            debug_assert!(code == INRANGE_INDEX || code == 32, "the caller lists the codes");
            operands.next()? & 1 != 0
        }
    };
    let mut values = Vec::with_capacity(operands.len() / 2);
    while !operands.is_empty() {
        types.any(operands.next()?)?;
        values.push(operands.next_u32()?);
    }
    if values.is_empty() {
        return Err(operands.malformed("an address computation has a base"));
    }
    let base = values.remove(0);
    Ok(State::Raw(Raw::Gep { source, base, indices: values, inbounds }))
}

/// An array or vector whose elements stand in the record itself.
fn data(values: &[u64], ty: &Type, operands: &Operands<'_>) -> Result<State, ReadError> {
    let element = match ty {
        Type::Array(element, _) => match **element {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        },
        Type::Vector(scalar, _) => Some(*scalar),
        Type::Void | Type::Scalar(_) | Type::Struct(_) | Type::Metadata => None,
    };
    let Some(element) = element.filter(|element| !matches!(element, Scalar::Ptr(_))) else {
        return Err(operands.malformed("its type is an array or vector of numbers"));
    };
    if element_count(ty) != Some(values.len() as u64) {
        return Err(operands.malformed("it has as many elements as its type says"));
    }
    let parts: Vec<_> = values
        .iter()
        .map(|&value| TypedConstant {
            ty: Type::Scalar(element),
            value: if element.is_float() {
                Constant::Float(value & mask(element))
            } else {
                Constant::Int(value & mask(element))
            },
        })
        .collect();
    Ok(State::Known(aggregate(parts), 1 + values.len() as u64))
}

/// The zero of a type in the form that equal zeros share.
pub(super) fn zero_of(ty: &Type) -> Constant {
    match ty {
        Type::Scalar(Scalar::Int(_)) => Constant::Int(0),
        Type::Scalar(scalar) if scalar.is_float() => Constant::Float(0),
        _ => Constant::Zero,
    }
}

fn aggregate(parts: Vec<TypedConstant>) -> Constant {
    let is_zero =
        |part: &TypedConstant| matches!(part.value, Constant::Int(0) | Constant::Float(0) | Constant::Zero);
    if parts.iter().all(is_zero) {
        Constant::Zero
    } else if parts.iter().all(|part| part.value == Constant::Poison) {
        Constant::Poison
    } else if parts.iter().all(|part| part.value == Constant::Undef) {
        Constant::Undef
    } else {
        Constant::Aggregate(parts.into())
    }
}

fn cast(op: CastOp, value: TypedConstant, ty: &Type) -> Constant {
    match (&value.value, op) {
        // From one pointer type to another that became the same.
        (_, CastOp::Bitcast) if value.ty == *ty => value.value,
        (Constant::Undef, _) => Constant::Undef,
        (Constant::Poison, _) => Constant::Poison,
        (Constant::Zero | Constant::Int(0), CastOp::Bitcast | CastOp::IntToPtr | CastOp::PtrToInt)
            if ty.scalar().is_some() =>
        {
            zero_of(ty)
        }
        _ => Constant::Expr(Arc::new(ConstantExpr::Cast { op, value })),
    }
}

/// Number of elements of an aggregate or vector.
fn element_count(ty: &Type) -> Option<u64> {
    match ty {
        Type::Vector(_, lanes) => Some(u64::from(*lanes)),
        Type::Array(_, count) => Some(*count),
        Type::Struct(structure) => Some(structure.fields.len() as u64),
        Type::Void | Type::Scalar(_) | Type::Metadata => None,
    }
}

fn value_ids(operands: &Operands<'_>) -> Result<Vec<u32>, ReadError> {
    operands
        .rest()
        .iter()
        .map(|&id| u32::try_from(id).map_err(|_| operands.malformed("value ids are 32-bit numbers")))
        .collect()
}

fn mask(scalar: Scalar) -> u64 {
    u64::MAX >> (64 - scalar.bits().min(64))
}

fn malformed(rule: &'static str) -> ReadError {
    ReadError::MalformedRecord { block: BLOCK, record: "constant", rule }
}

fn not_constant() -> ReadError {
    malformed("a constant is made of constants")
}

fn unsupported(what: &str) -> Result<State, ReadError> {
    Err(ReadError::Unsupported { what: what.to_owned() })
}
