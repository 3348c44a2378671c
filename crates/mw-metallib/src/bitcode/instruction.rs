//! One record of a function body → one instruction.

use mw_air::{
    AddressSpace, AtomicOrdering, BinaryOp, CastOp, Constant, Flags, Inst, Scalar, Terminator, Type, ValueId,
};

use super::function::{BLOCK, BodyReader, Decoded, malformed};
use super::module::alignment;
use super::opcodes::{
    binary_flags, binary_op, cast_flags, cast_op, fast_flags, float_predicate, gep_flags, int_predicate,
    one_flag, ordering, rmw_op,
};
use super::operands::{Operands, decode_signed};
use crate::bitstream::Record;
use crate::error::ReadError;

/// Longest shuffle mask; AIR's longest vectors have 64 elements.
const MAX_MASK: u32 = 1 << 12;

impl BodyReader<'_, '_> {
    /// The instruction that a record holds.
    pub(super) fn decode(&mut self, record: &Record<'_>) -> Result<Decoded, ReadError> {
        let named = |name| Operands::new(&record.operands, BLOCK, name);
        match record.code {
            1 => self.declare_blocks(named("DECLAREBLOCKS")).map(|()| Decoded::Nothing),
            2 => self.binary(named("BINOP")),
            3 => self.cast(named("CAST")),
            6 => self.extract_element(named("EXTRACTELT")),
            7 => self.insert_element(named("INSERTELT")),
            8 => self.shuffle_vector(named("SHUFFLEVEC")),
            9 | 28 => self.compare(named("CMP")),
            10 => self.ret(named("RET")),
            11 => self.br(named("BR")),
            12 => self.switch(named("SWITCH")),
            15 => Ok(Decoded::Terminator(Terminator::Unreachable)),
            16 => self.phi(named("PHI")),
            19 => self.alloca(named("ALLOCA")),
            20 => self.load(named("LOAD"), false),
            26 => self.extract_value(named("EXTRACTVAL")),
            27 => self.insert_value(named("INSERTVAL")),
            29 => self.select(named("VSELECT")),
            34 => self.call(named("CALL")),
            36 => self.fence(named("FENCE")),
            41 => self.load(named("LOADATOMIC"), true),
            43 => self.gep(named("GEP")),
            44 => self.store(named("STORE"), false),
            45 => self.store(named("STOREATOMIC"), true),
            46 => self.cmpxchg(named("CMPXCHG")),
            55 => self.operand_bundle(named("OPERAND_BUNDLE")),
            56 => self.unary(named("UNOP")),
            58 => self.freeze(named("FREEZE")),
            59 => self.atomic_rmw(named("ATOMICRMW")),
            // Debug records, users of block addresses.
            60..=66 => Ok(Decoded::Nothing),
            code => Err(ReadError::UnsupportedRecord { block: BLOCK, code, note: note(code) }),
        }
    }

    fn binary(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let (lhs, ty) = self.typed_value(&mut operands)?;
        let rhs = self.value(&mut operands, &ty)?;
        let code = operands.next()?;
        if !ty.is_int() && !ty.is_float() {
            return Err(operands.malformed("arithmetic works on numbers and vectors of numbers"));
        }
        let op: BinaryOp = binary_op(code, ty.is_float())
            .ok_or_else(|| operands.malformed("unknown operation for its type"))?;
        let flags = binary_flags(op, operands.optional().unwrap_or(0));
        Ok(Decoded::Inst(Inst::Binary { op, lhs: ValueId(lhs), rhs: ValueId(rhs), flags }, ty))
    }

    fn unary(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let (value, ty) = self.typed_value(&mut operands)?;
        if operands.next()? != 0 || !ty.is_float() {
            return Err(operands.malformed("the one unary operation is `fneg` of a floating-point number"));
        }
        let flags = fast_flags(operands.optional().unwrap_or(0));
        Ok(Decoded::Inst(Inst::FNeg { value: ValueId(value), flags }, ty))
    }

    fn cast(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let (value, from) = self.typed_value(&mut operands)?;
        let to = self.module.types.first_class(operands.next()?)?.clone();
        let op = cast_op(operands.next()?).ok_or_else(|| operands.malformed("unknown conversion"))?;
        if op == CastOp::Bitcast && from == to && from.address_space().is_some() {
            return Ok(Decoded::Alias(value));
        }
        let flags = cast_flags(op, operands.optional().unwrap_or(0));
        Ok(Decoded::Inst(Inst::Cast { op, value: ValueId(value), flags }, to))
    }

    fn freeze(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let (value, ty) = self.typed_value(&mut operands)?;
        Ok(Decoded::Inst(Inst::Freeze { value: ValueId(value) }, ty))
    }

    fn compare(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let (lhs, ty) = self.typed_value(&mut operands)?;
        let rhs = self.value(&mut operands, &ty)?;
        let code = operands.next()?;
        let bits = operands.optional().unwrap_or(0);
        let (lhs, rhs) = (ValueId(lhs), ValueId(rhs));
        let inst = if ty.is_float() {
            let predicate = float_predicate(code)
                .ok_or_else(|| operands.malformed("unknown floating-point comparison"))?;
            Inst::FCmp { predicate, lhs, rhs, flags: fast_flags(bits) }
        } else if ty.scalar().is_some() {
            let predicate =
                int_predicate(code).ok_or_else(|| operands.malformed("unknown integer comparison"))?;
            Inst::ICmp { predicate, lhs, rhs, flags: one_flag(bits, Flags::SAMESIGN) }
        } else {
            return Err(operands.malformed("comparisons work on numbers, pointers and vectors of them"));
        };
        Ok(Decoded::Inst(inst, ty.with_scalar(Scalar::Int(1))))
    }

    fn select(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let (on_true, ty) = self.typed_value(&mut operands)?;
        let on_false = self.value(&mut operands, &ty)?;
        let (condition, condition_ty) = self.typed_value(&mut operands)?;
        if condition_ty.scalar() != Some(Scalar::Int(1)) {
            return Err(operands.malformed("a condition is an `i1` or a vector of `i1`"));
        }
        let flags = fast_flags(operands.optional().unwrap_or(0));
        let inst = Inst::Select {
            condition: ValueId(condition),
            on_true: ValueId(on_true),
            on_false: ValueId(on_false),
            flags,
        };
        Ok(Decoded::Inst(inst, ty))
    }

    fn extract_element(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let (vector, ty) = self.typed_value(&mut operands)?;
        let (index, _) = self.typed_value(&mut operands)?;
        let Type::Vector(scalar, _) = ty else {
            return Err(operands.malformed("elements are extracted from vectors"));
        };
        let inst = Inst::ExtractElement { vector: ValueId(vector), index: ValueId(index) };
        Ok(Decoded::Inst(inst, Type::Scalar(scalar)))
    }

    fn insert_element(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let (vector, ty) = self.typed_value(&mut operands)?;
        let Type::Vector(scalar, _) = ty else {
            return Err(operands.malformed("elements are inserted into vectors"));
        };
        let element = self.value(&mut operands, &Type::Scalar(scalar))?;
        let (index, _) = self.typed_value(&mut operands)?;
        let inst =
            Inst::InsertElement { vector: ValueId(vector), element: ValueId(element), index: ValueId(index) };
        Ok(Decoded::Inst(inst, ty))
    }

    fn shuffle_vector(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let (first, ty) = self.typed_value(&mut operands)?;
        let second = self.value(&mut operands, &ty)?;
        let (mask, mask_ty) = self.typed_value(&mut operands)?;
        let (Type::Vector(scalar, lanes), Type::Vector(Scalar::Int(32), length)) = (ty, mask_ty) else {
            return Err(operands.malformed("a shuffle takes two vectors and a vector of `i32`"));
        };
        let mask = self.mask(mask, length, lanes, &operands)?;
        let inst = Inst::ShuffleVector { first: ValueId(first), second: ValueId(second), mask };
        Ok(Decoded::Inst(inst, Type::Vector(scalar, length)))
    }

    /// Positions of a shuffle mask, -1 for any.
    fn mask(
        &mut self,
        number: u32,
        length: u32,
        lanes: u32,
        operands: &Operands<'_>,
    ) -> Result<Vec<i32>, ReadError> {
        if length > MAX_MASK {
            return Err(ReadError::Limit {
                what: "elements in a shuffle mask",
                value: u64::from(length),
                limit: u64::from(MAX_MASK),
            });
        }
        let module = &mut *self.module;
        let constant = module.constants.typed(number, &mut module.budget)?;
        let position = |value: &Constant| match value {
            Constant::Int(position) if *position < 2 * u64::from(lanes) => Ok(*position as i32),
            Constant::Undef | Constant::Poison => Ok(-1),
            _ => Err(operands.malformed("a shuffle mask holds positions in its two vectors")),
        };
        match &constant.value {
            Constant::Zero => Ok(vec![0; length as usize]),
            Constant::Aggregate(parts) => parts.iter().map(|part| position(&part.value)).collect(),
            Constant::Undef | Constant::Poison => Ok(vec![-1; length as usize]),
            _ => Err(operands.malformed("a shuffle mask is a constant")),
        }
    }

    fn extract_value(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let (aggregate, ty) = self.typed_value(&mut operands)?;
        let (indices, member) = member(&ty, &mut operands)?;
        Ok(Decoded::Inst(Inst::ExtractValue { aggregate: ValueId(aggregate), indices }, member))
    }

    fn insert_value(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let (aggregate, ty) = self.typed_value(&mut operands)?;
        let (element, element_ty) = self.typed_value(&mut operands)?;
        let (indices, member) = member(&ty, &mut operands)?;
        if member != element_ty {
            return Err(operands.malformed("a member is replaced by a value of its type"));
        }
        let inst = Inst::InsertValue { aggregate: ValueId(aggregate), element: ValueId(element), indices };
        Ok(Decoded::Inst(inst, ty))
    }

    fn phi(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let ty = self.module.types.first_class(operands.next()?)?.clone();
        let mut incoming = Vec::with_capacity(operands.len() / 2);
        while operands.len() >= 2 {
            let distance = decode_signed(operands.next()?);
            let number = i64::from(self.next_number())
                .checked_sub(distance)
                .and_then(|number| u32::try_from(number).ok())
                .ok_or_else(|| operands.malformed("a value number is out of range"))?;
            self.check_value(number, &ty)?;
            incoming.push((self.target(operands.next()?)?, ValueId(number)));
        }
        let flags = fast_flags(operands.optional().unwrap_or(0));
        Ok(Decoded::Inst(Inst::Phi { incoming, flags }, ty))
    }

    fn alloca(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        const EXPLICIT_TYPE: u64 = 1 << 6;
        let ty = self.module.types.first_class(operands.next()?)?.clone();
        let count_ty = self.module.types.first_class(operands.next()?)?.clone();
        // Unlike other operands, the count is an absolute number.
        let count = operands.next_u32()?;
        let bits = operands.next()?;
        if bits & EXPLICIT_TYPE == 0 {
            return Err(operands.malformed("it states the type that it allocates"));
        }
        if bits & (1 << 5 | 1 << 7) != 0 {
            return Err(ReadError::Unsupported { what: "`alloca` with `inalloca` or `swifterror`".into() });
        }
        let align = alignment(bits & 0x1f | (bits >> 8 & 7) << 5, &operands)?;
        let space = match operands.optional() {
            Some(space) => {
                u32::try_from(space).map_err(|_| operands.malformed("address spaces are 32-bit numbers"))?
            }
            None => 0,
        };
        self.check_value(count, &count_ty)?;
        let module = &mut *self.module;
        let is_one = module.constants.is_constant(count)
            && module.constants.typed(count, &mut module.budget)?.as_int() == Some(1);
        let count = (!is_one).then_some(ValueId(count));
        let space = AddressSpace(space);
        Ok(Decoded::Inst(Inst::Alloca { ty, count, align, space }, Type::ptr(space)))
    }

    fn load(&mut self, mut operands: Operands<'_>, atomic: bool) -> Result<Decoded, ReadError> {
        let ptr = self.pointer(&mut operands)?;
        if operands.len() != if atomic { 5 } else { 3 } {
            return Err(operands.malformed("it states the type that it loads"));
        }
        let ty = self.module.types.first_class(operands.next()?)?.clone();
        let (align, volatile) = (alignment(operands.next()?, &operands)?, operands.next()? != 0);
        let ordering = if atomic { read_ordering(&mut operands)? } else { None };
        Ok(Decoded::Inst(Inst::Load { ptr: ValueId(ptr), align, volatile, ordering }, ty))
    }

    fn store(&mut self, mut operands: Operands<'_>, atomic: bool) -> Result<Decoded, ReadError> {
        let ptr = self.pointer(&mut operands)?;
        let (value, _) = self.typed_value(&mut operands)?;
        let (align, volatile) = (alignment(operands.next()?, &operands)?, operands.next()? != 0);
        let ordering = if atomic { read_ordering(&mut operands)? } else { None };
        let inst = Inst::Store { ptr: ValueId(ptr), value: ValueId(value), align, volatile, ordering };
        Ok(Decoded::Inst(inst, Type::Void))
    }

    fn gep(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let flags = gep_flags(operands.next()?);
        let source = self.module.types.first_class(operands.next()?)?.clone();
        let (base, base_ty) = self.typed_value(&mut operands)?;
        let Some(Scalar::Ptr(space)) = base_ty.scalar() else {
            return Err(operands.malformed("an address computation starts at a pointer"));
        };
        let mut lanes = vector_lanes(&base_ty);
        let mut indices = Vec::with_capacity(operands.len());
        while !operands.is_empty() {
            let (index, ty) = self.typed_value(&mut operands)?;
            if !ty.is_int() {
                return Err(operands.malformed("indices are integers"));
            }
            lanes = lanes.or(vector_lanes(&ty));
            indices.push(ValueId(index));
        }
        let result = match lanes {
            Some(lanes) => Type::Vector(Scalar::Ptr(space), lanes),
            None => Type::ptr(space),
        };
        Ok(Decoded::Inst(Inst::Gep { source, base: ValueId(base), indices, flags }, result))
    }

    fn cmpxchg(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let ptr = self.pointer(&mut operands)?;
        let (expected, ty) = self.typed_value(&mut operands)?;
        let new = self.value(&mut operands, &ty)?;
        let volatile = operands.next()? != 0;
        let success = atomic_ordering(&mut operands)?;
        // The scope: AIR's atomics are calls with scopes of their own, and "system" is the strongest.
        operands.next()?;
        let failure = atomic_ordering(&mut operands)?;
        let weak = operands.next()? != 0;
        let align = match operands.optional() {
            Some(align) => alignment(align, &operands)?,
            None => 0,
        };
        let inst = Inst::CmpXchg {
            ptr: ValueId(ptr),
            expected: ValueId(expected),
            new: ValueId(new),
            success,
            failure,
            align,
            weak,
            volatile,
        };
        Ok(Decoded::Inst(inst, Type::literal_struct(vec![ty, Type::I1])))
    }

    fn atomic_rmw(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let ptr = self.pointer(&mut operands)?;
        let (value, ty) = self.typed_value(&mut operands)?;
        let op = rmw_op(operands.next()?).ok_or_else(|| ReadError::Unsupported {
            what: "an `atomicrmw` operation newer than `fmin`".into(),
        })?;
        let volatile = operands.next()? != 0;
        let ordering = atomic_ordering(&mut operands)?;
        operands.next()?;
        let align = match operands.optional() {
            Some(align) => alignment(align, &operands)?,
            None => 0,
        };
        let inst =
            Inst::AtomicRmw { op, ptr: ValueId(ptr), value: ValueId(value), ordering, align, volatile };
        Ok(Decoded::Inst(inst, ty))
    }

    #[expect(clippy::unused_self, reason = "keeps the makers of instructions alike")]
    fn fence(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let ordering = atomic_ordering(&mut operands)?;
        Ok(Decoded::Inst(Inst::Fence { ordering }, Type::Void))
    }

    fn ret(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        if operands.is_empty() {
            if self.function.ty.ret != Type::Void {
                return Err(operands.malformed("a function returns what its type says"));
            }
            return Ok(Decoded::Terminator(Terminator::Ret(None)));
        }
        let (value, ty) = self.typed_value(&mut operands)?;
        if self.function.ty.ret != ty {
            return Err(operands.malformed("a function returns what its type says"));
        }
        Ok(Decoded::Terminator(Terminator::Ret(Some(ValueId(value)))))
    }

    fn br(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let on_true = self.target(operands.next()?)?;
        let Some(on_false) = operands.optional() else {
            return Ok(Decoded::Terminator(Terminator::Br(on_true)));
        };
        let on_false = self.target(on_false)?;
        let condition = ValueId(self.value(&mut operands, &Type::I1)?);
        Ok(Decoded::Terminator(Terminator::CondBr { condition, on_true, on_false }))
    }

    fn switch(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let ty = self.module.types.first_class(operands.next()?)?.clone();
        if !matches!(ty, Type::Scalar(Scalar::Int(_))) {
            return Err(operands.malformed("a switch decides on an integer"));
        }
        let value = ValueId(self.value(&mut operands, &ty)?);
        let default = self.target(operands.next()?)?;
        let mut cases = Vec::with_capacity(operands.len() / 2);
        while !operands.is_empty() {
            // Case values are constants by their absolute numbers.
            let case = operands.next_u32()?;
            let module = &mut *self.module;
            let constant = module.constants.typed(case, &mut module.budget)?;
            let case = constant
                .as_int()
                .filter(|_| constant.ty == ty)
                .ok_or_else(|| operands.malformed("cases are integers of the type that is switched on"))?;
            cases.push((case, self.target(operands.next()?)?));
        }
        Ok(Decoded::Terminator(Terminator::Switch { value, default, cases }))
    }

    /// An operand that is a pointer.
    fn pointer(&mut self, operands: &mut Operands<'_>) -> Result<u32, ReadError> {
        let (number, ty) = self.typed_value(operands)?;
        if ty.is_ptr() { Ok(number) } else { Err(operands.malformed("memory is accessed through a pointer")) }
    }
}

fn read_ordering(operands: &mut Operands<'_>) -> Result<Option<AtomicOrdering>, ReadError> {
    let code = operands.next()?;
    // The scope.
    operands.next()?;
    ordering(code).ok_or_else(|| operands.malformed("unknown memory ordering"))
}

fn atomic_ordering(operands: &mut Operands<'_>) -> Result<AtomicOrdering, ReadError> {
    let code = operands.next()?;
    ordering(code).flatten().ok_or_else(|| operands.malformed("an atomic operation has a memory ordering"))
}

/// Indices of a member and its type.
fn member(ty: &Type, operands: &mut Operands<'_>) -> Result<(Vec<u32>, Type), ReadError> {
    let mut indices = Vec::with_capacity(operands.len());
    let mut member = ty.clone();
    while !operands.is_empty() {
        let index = operands.next_u32()?;
        member = match &member {
            Type::Array(..) | Type::Struct(_) => member.element(u64::from(index)),
            Type::Void | Type::Scalar(_) | Type::Vector(..) | Type::Metadata => None,
        }
        .ok_or_else(|| operands.malformed("the aggregate has no such member"))?;
        indices.push(index);
    }
    if indices.is_empty() {
        return Err(malformed("EXTRACTVAL", "a member is named by at least one index"));
    }
    Ok((indices, member))
}

fn vector_lanes(ty: &Type) -> Option<u32> {
    match ty {
        Type::Vector(_, lanes) => Some(*lanes),
        Type::Void | Type::Scalar(_) | Type::Array(..) | Type::Struct(_) | Type::Metadata => None,
    }
}

/// What an unsupported record is.
fn note(code: u32) -> &'static str {
    match code {
        4 | 30 => ": address computation without its type (LLVM before 3.7)",
        5 => ": select of LLVM before 2.7",
        13 => ": invoke",
        23 => ": va_arg",
        24 | 37 | 38 | 42 => ": memory access of LLVM before 4.0",
        31 => ": indirect branch",
        39 | 40 | 47..=52 => ": exception handling",
        57 => ": callbr",
        _ => "",
    }
}
