//! Instructions.

use super::constant::{binary_op, cast_op};
use super::function::Body;
use super::lexer::Token;
use super::{Parsed, Parser, name_text};
use crate::{
    AtomicOrdering, Attributes, Call, Callee, Flags, FloatPredicate, FunctionType, Inst, IntPredicate, RmwOp,
    Scalar, Symbol, Type, ValueId,
};

impl<'t> Parser<'t> {
    /// An instruction and the type of its result.
    pub(super) fn operation(&mut self, body: &mut Body<'t>) -> Parsed<(Inst, Type)> {
        let Token::Word(word) = self.token else { return self.unexpected("an instruction") };
        self.advance()?;
        if let Some(op) = binary_op(word) {
            let flags = self.flags(op.allowed_flags())?;
            let (lhs, rhs) = self.pair(body)?;
            let ty = body.function.value_type(lhs).clone();
            return Ok((Inst::Binary { op, lhs, rhs, flags }, ty));
        }
        if let Some(op) = cast_op(word) {
            let flags = self.flags(op.allowed_flags())?;
            let value = self.typed_value(body)?;
            self.expect_word("to")?;
            let ty = self.result_type()?;
            return Ok((Inst::Cast { op, value, flags }, ty));
        }
        match word {
            "fneg" => {
                let flags = self.flags(Flags::FAST)?;
                let value = self.typed_value(body)?;
                let ty = body.function.value_type(value).clone();
                Ok((Inst::FNeg { value, flags }, ty))
            }
            "icmp" => {
                let flags = self.flags(Flags::SAMESIGN)?;
                let predicate = self.predicate(int_predicate)?;
                let (lhs, rhs) = self.pair(body)?;
                let ty = body.function.value_type(lhs).with_scalar(Scalar::Int(1));
                Ok((Inst::ICmp { predicate, lhs, rhs, flags }, ty))
            }
            "fcmp" => {
                let flags = self.flags(Flags::FAST)?;
                let predicate = self.predicate(float_predicate)?;
                let (lhs, rhs) = self.pair(body)?;
                let ty = body.function.value_type(lhs).with_scalar(Scalar::Int(1));
                Ok((Inst::FCmp { predicate, lhs, rhs, flags }, ty))
            }
            "select" => {
                let flags = self.flags(Flags::FAST)?;
                let [condition, on_true, on_false] = self.values(body)?;
                let ty = body.function.value_type(on_true).clone();
                Ok((Inst::Select { condition, on_true, on_false, flags }, ty))
            }
            "freeze" => {
                let value = self.typed_value(body)?;
                let ty = body.function.value_type(value).clone();
                Ok((Inst::Freeze { value }, ty))
            }
            "phi" => self.phi(body),
            "extractelement" => {
                let [vector, index] = self.values(body)?;
                let ty = self.element_type(body, vector)?;
                Ok((Inst::ExtractElement { vector, index }, Type::Scalar(ty)))
            }
            "insertelement" => {
                let [vector, element, index] = self.values(body)?;
                let ty = body.function.value_type(vector).clone();
                Ok((Inst::InsertElement { vector, element, index }, ty))
            }
            "shufflevector" => self.shuffle(body),
            "extractvalue" => {
                let aggregate = self.typed_value(body)?;
                let indices = self.member_path()?;
                let mut ty = body.function.value_type(aggregate).clone();
                for index in &indices {
                    let inner = if ty.is_aggregate() { ty.element(u64::from(*index)) } else { None };
                    let Some(inner) = inner else {
                        return self.error(format!("`{ty}` has no member {index}"));
                    };
                    ty = inner;
                }
                Ok((Inst::ExtractValue { aggregate, indices }, ty))
            }
            "insertvalue" => {
                let [aggregate, element] = self.values(body)?;
                let indices = self.member_path()?;
                let ty = body.function.value_type(aggregate).clone();
                Ok((Inst::InsertValue { aggregate, element, indices }, ty))
            }
            "alloca" => self.alloca(body),
            "load" => {
                let atomic = self.eat_word("atomic")?;
                let volatile = self.eat_word("volatile")?;
                let ty = self.result_type()?;
                self.expect_punct(b',')?;
                let ptr = self.typed_value(body)?;
                let ordering = if atomic { Some(self.ordering()?) } else { None };
                let align = self.align()?;
                Ok((Inst::Load { ptr, align, volatile, ordering }, ty))
            }
            "store" => {
                let atomic = self.eat_word("atomic")?;
                let volatile = self.eat_word("volatile")?;
                let [value, ptr] = self.values(body)?;
                let ordering = if atomic { Some(self.ordering()?) } else { None };
                let align = self.align()?;
                Ok((Inst::Store { ptr, value, align, volatile, ordering }, Type::Void))
            }
            "getelementptr" => self.gep(body),
            "call" => self.call(body, 0),
            "tail" => self.call_after(body, 1),
            "musttail" => self.call_after(body, 2),
            "notail" => self.call_after(body, 3),
            "atomicrmw" => {
                let volatile = self.eat_word("volatile")?;
                let op = self.predicate(rmw_op)?;
                let [ptr, value] = self.values(body)?;
                let ordering = self.ordering()?;
                let align = self.align()?;
                let ty = body.function.value_type(value).clone();
                Ok((Inst::AtomicRmw { op, ptr, value, ordering, align, volatile }, ty))
            }
            "cmpxchg" => {
                let weak = self.eat_word("weak")?;
                let volatile = self.eat_word("volatile")?;
                let [ptr, expected, new] = self.values(body)?;
                let success = self.ordering()?;
                let failure = self.ordering()?;
                let align = self.align()?;
                let ty = Type::literal_struct(vec![body.function.value_type(new).clone(), Type::I1]);
                Ok((Inst::CmpXchg { ptr, expected, new, success, failure, align, weak, volatile }, ty))
            }
            "fence" => Ok((Inst::Fence { ordering: self.ordering()? }, Type::Void)),
            _ => self.error(format!("instruction `{word}` does not exist in AIR")),
        }
    }

    fn phi(&mut self, body: &mut Body<'t>) -> Parsed<(Inst, Type)> {
        let flags = self.flags(Flags::FAST)?;
        let ty = self.result_type()?;
        let mut incoming = Vec::new();
        loop {
            self.expect_punct(b'[')?;
            let value = self.value(body, &ty)?;
            self.expect_punct(b',')?;
            incoming.push((self.block_name(body)?, value));
            self.expect_punct(b']')?;
            if !self.eat_operand_comma()? {
                return Ok((Inst::Phi { incoming, flags }, ty));
            }
        }
    }

    fn shuffle(&mut self, body: &mut Body<'t>) -> Parsed<(Inst, Type)> {
        let [first, second] = self.values(body)?;
        self.expect_punct(b',')?;
        let offset = self.offset;
        let mask_type = self.ty()?;
        let Type::Vector(Scalar::Int(32), lanes) = mask_type else {
            return Self::error_at(offset, "a shuffle mask is a vector of `i32`");
        };
        let mask = match self.token {
            Token::Word("zeroinitializer") => {
                self.advance()?;
                vec![0; lanes as usize]
            }
            Token::Word("poison" | "undef") => {
                self.advance()?;
                vec![-1; lanes as usize]
            }
            Token::Word("splat") => {
                self.advance()?;
                self.expect_punct(b'(')?;
                let index = self.mask_index()?;
                self.expect_punct(b')')?;
                vec![index; lanes as usize]
            }
            _ => {
                self.expect_punct(b'<')?;
                let mut mask = Vec::new();
                loop {
                    mask.push(self.mask_index()?);
                    if !self.eat_punct(b',')? {
                        break;
                    }
                }
                self.expect_punct(b'>')?;
                mask
            }
        };
        if mask.len() != lanes as usize {
            return Self::error_at(offset, format!("this mask has {} elements, not {lanes}", mask.len()));
        }
        self.spend(u64::from(lanes))?;
        let ty = Type::Vector(self.element_type(body, first)?, lanes);
        Ok((Inst::ShuffleVector { first, second, mask }, ty))
    }

    fn mask_index(&mut self) -> Parsed<i32> {
        self.expect_word("i32")?;
        if matches!(self.token, Token::Word("poison" | "undef")) {
            self.advance()?;
            return Ok(-1);
        }
        let offset = self.offset;
        match i32::try_from(self.uint()?) {
            Ok(index) => Ok(index),
            Err(_) => Self::error_at(offset, "this index is too large"),
        }
    }

    fn alloca(&mut self, body: &mut Body<'t>) -> Parsed<(Inst, Type)> {
        let ty = self.result_type()?;
        let (mut count, mut align, mut space) = (None, 0, Self::DEFAULT_SPACE);
        while self.eat_operand_comma()? {
            match self.token {
                Token::Word("align") => {
                    self.advance()?;
                    align = self.u32()?;
                }
                Token::Word("addrspace") => space = self.address_space()?,
                _ => count = Some(self.typed_value(body)?),
            }
        }
        Ok((Inst::Alloca { ty, count, align, space }, Type::ptr(space)))
    }

    fn gep(&mut self, body: &mut Body<'t>) -> Parsed<(Inst, Type)> {
        let flags = self.flags(Flags::INBOUNDS.union(Flags::NUSW).union(Flags::NUW))?;
        let source = self.result_type()?;
        self.expect_punct(b',')?;
        let offset = self.offset;
        let base = self.typed_value(body)?;
        let mut indices = Vec::new();
        while self.eat_operand_comma()? {
            indices.push(self.typed_value(body)?);
        }
        let base_type = body.function.value_type(base);
        let Some(space) = base_type.address_space() else {
            return Self::error_at(offset, format!("address arithmetic on a `{base_type}`"));
        };
        let vector =
            std::iter::once(&base).chain(&indices).find_map(|value| match body.function.value_type(*value) {
                Type::Vector(_, lanes) => Some(*lanes),
                _ => None,
            });
        let ty = match vector {
            Some(lanes) => Type::Vector(Scalar::Ptr(space), lanes),
            None => Type::ptr(space),
        };
        Ok((Inst::Gep { source, base, indices, flags }, ty))
    }

    fn call_after(&mut self, body: &mut Body<'t>, tail: u8) -> Parsed<(Inst, Type)> {
        self.expect_word("call")?;
        self.call(body, tail)
    }

    fn call(&mut self, body: &mut Body<'t>, tail: u8) -> Parsed<(Inst, Type)> {
        let flags = self.flags(Flags::FAST)?;
        let calling_convention = self.calling_convention()?;
        let ret_attrs = self.attributes(false)?;
        let ret = self.ty()?;
        let written = if self.is_punct(b'(') { Some(self.callee_params()?) } else { None };
        let callee = match self.token.clone() {
            Token::Global(name) => match self.symbol(&name) {
                Some(Symbol::Function(id)) => {
                    self.advance()?;
                    Callee::Function(id)
                }
                Some(Symbol::Global(_)) => {
                    return self.error(format!("`@{}` is no function", name_text(&name)));
                }
                None => return self.error(format!("`@{}` is not defined", name_text(&name))),
            },
            Token::Word("asm") => return self.error("inline assembly is not supported"),
            _ => Callee::Value(self.value(body, &Type::ptr(Self::DEFAULT_SPACE))?),
        };
        self.expect_punct(b'(')?;
        let mut args = Vec::new();
        let mut arg_attrs = Vec::new();
        while !self.is_punct(b')') {
            let ty = self.ty()?;
            arg_attrs.push(self.attributes(false)?);
            args.push(self.value(body, &ty)?);
            if !self.eat_punct(b',')? {
                break;
            }
        }
        self.expect_punct(b')')?;
        let attrs = self.attributes(false)?;
        if self.is_punct(b'[') {
            return self.error("operand bundles are not supported");
        }
        while arg_attrs.last().is_some_and(Attributes::is_empty) {
            arg_attrs.pop();
        }
        let (params, varargs) = written.unwrap_or_else(|| {
            (args.iter().map(|arg| body.function.value_type(*arg).clone()).collect(), false)
        });
        let ty = FunctionType { ret, params, varargs };
        let result = ty.ret.clone();
        let call = Call { callee, ty, args, attrs, ret_attrs, arg_attrs, calling_convention, tail, flags };
        Ok((Inst::Call(Box::new(call)), result))
    }

    /// `(i32, ...)`
    fn callee_params(&mut self) -> Parsed<(Vec<Type>, bool)> {
        self.expect_punct(b'(')?;
        let mut params = Vec::new();
        let mut varargs = false;
        while !self.is_punct(b')') {
            if matches!(self.token, Token::Ellipsis) {
                self.advance()?;
                varargs = true;
                break;
            }
            params.push(self.result_type()?);
            if !self.eat_punct(b',')? {
                break;
            }
        }
        self.expect_punct(b')')?;
        Ok((params, varargs))
    }

    /// A type that a value can have.
    fn result_type(&mut self) -> Parsed<Type> {
        let offset = self.offset;
        let ty = self.ty()?;
        if matches!(ty, Type::Void | Type::Metadata) {
            return Self::error_at(offset, format!("a value cannot be `{ty}`"));
        }
        Ok(ty)
    }

    fn element_type(&self, body: &Body<'t>, vector: ValueId) -> Parsed<Scalar> {
        match body.function.value_type(vector) {
            Type::Vector(scalar, _) => Ok(*scalar),
            other => self.error(format!("expected a vector, found a `{other}`")),
        }
    }

    /// `ty lhs, rhs`
    fn pair(&mut self, body: &mut Body<'t>) -> Parsed<(ValueId, ValueId)> {
        let ty = self.ty()?;
        let lhs = self.value(body, &ty)?;
        self.expect_punct(b',')?;
        Ok((lhs, self.value(body, &ty)?))
    }

    /// Typed values with commas between them.
    fn values<const N: usize>(&mut self, body: &mut Body<'t>) -> Parsed<[ValueId; N]> {
        let mut values = [ValueId(0); N];
        for (index, value) in values.iter_mut().enumerate() {
            if index != 0 {
                self.expect_punct(b',')?;
            }
            *value = self.typed_value(body)?;
        }
        Ok(values)
    }

    /// A comma with another operand behind it; one with metadata behind it is left.
    fn eat_operand_comma(&mut self) -> Parsed<bool> {
        if !self.is_punct(b',') || self.attachment_follows()? {
            return Ok(false);
        }
        self.advance()?;
        Ok(true)
    }

    fn member_path(&mut self) -> Parsed<Vec<u32>> {
        let mut indices = Vec::new();
        while self.eat_operand_comma()? {
            indices.push(self.u32()?);
        }
        if indices.is_empty() {
            return self.unexpected("the index of a member");
        }
        Ok(indices)
    }

    /// `, align 4` or nothing.
    fn align(&mut self) -> Parsed<u32> {
        if !self.eat_operand_comma()? {
            return Ok(0);
        }
        self.expect_word("align")?;
        self.u32()
    }

    fn ordering(&mut self) -> Parsed<AtomicOrdering> {
        if self.is_word("syncscope") {
            return self.error("`syncscope` is not supported");
        }
        self.predicate(ordering)
    }

    /// A word of a closed set.
    fn predicate<T>(&mut self, of: impl Fn(&str) -> Option<T>) -> Parsed<T> {
        if let Token::Word(word) = self.token
            && let Some(value) = of(word)
        {
            self.advance()?;
            return Ok(value);
        }
        self.unexpected("a predicate, an ordering or an operation")
    }

    fn flags(&mut self, allowed: Flags) -> Parsed<Flags> {
        let mut flags = Flags::NONE;
        while let Token::Word(word) = self.token {
            let Some(flag) = flag(word) else { break };
            if !allowed.contains(flag) {
                return self.error(format!("`{word}` is no flag of this instruction"));
            }
            flags = flags.union(flag);
            self.advance()?;
        }
        Ok(flags)
    }
}

fn flag(word: &str) -> Option<Flags> {
    Some(match word {
        "nuw" => Flags::NUW,
        "nsw" => Flags::NSW,
        "exact" => Flags::EXACT,
        "disjoint" => Flags::DISJOINT,
        "nneg" => Flags::NNEG,
        "samesign" => Flags::SAMESIGN,
        "inbounds" => Flags::INBOUNDS,
        "nusw" => Flags::NUSW,
        "nnan" => Flags::NNAN,
        "ninf" => Flags::NINF,
        "nsz" => Flags::NSZ,
        "arcp" => Flags::ARCP,
        "contract" => Flags::CONTRACT,
        "afn" => Flags::AFN,
        "reassoc" => Flags::REASSOC,
        "fast" => Flags::FAST,
        _ => return None,
    })
}

fn int_predicate(word: &str) -> Option<IntPredicate> {
    Some(match word {
        "eq" => IntPredicate::Eq,
        "ne" => IntPredicate::Ne,
        "ugt" => IntPredicate::Ugt,
        "uge" => IntPredicate::Uge,
        "ult" => IntPredicate::Ult,
        "ule" => IntPredicate::Ule,
        "sgt" => IntPredicate::Sgt,
        "sge" => IntPredicate::Sge,
        "slt" => IntPredicate::Slt,
        "sle" => IntPredicate::Sle,
        _ => return None,
    })
}

fn float_predicate(word: &str) -> Option<FloatPredicate> {
    Some(match word {
        "false" => FloatPredicate::False,
        "oeq" => FloatPredicate::Oeq,
        "ogt" => FloatPredicate::Ogt,
        "oge" => FloatPredicate::Oge,
        "olt" => FloatPredicate::Olt,
        "ole" => FloatPredicate::Ole,
        "one" => FloatPredicate::One,
        "ord" => FloatPredicate::Ord,
        "uno" => FloatPredicate::Uno,
        "ueq" => FloatPredicate::Ueq,
        "ugt" => FloatPredicate::Ugt,
        "uge" => FloatPredicate::Uge,
        "ult" => FloatPredicate::Ult,
        "ule" => FloatPredicate::Ule,
        "une" => FloatPredicate::Une,
        "true" => FloatPredicate::True,
        _ => return None,
    })
}

fn ordering(word: &str) -> Option<AtomicOrdering> {
    Some(match word {
        "unordered" => AtomicOrdering::Unordered,
        "monotonic" => AtomicOrdering::Monotonic,
        "acquire" => AtomicOrdering::Acquire,
        "release" => AtomicOrdering::Release,
        "acq_rel" => AtomicOrdering::AcqRel,
        "seq_cst" => AtomicOrdering::SeqCst,
        _ => return None,
    })
}

fn rmw_op(word: &str) -> Option<RmwOp> {
    Some(match word {
        "xchg" => RmwOp::Xchg,
        "add" => RmwOp::Add,
        "sub" => RmwOp::Sub,
        "and" => RmwOp::And,
        "nand" => RmwOp::Nand,
        "or" => RmwOp::Or,
        "xor" => RmwOp::Xor,
        "max" => RmwOp::Max,
        "min" => RmwOp::Min,
        "umax" => RmwOp::UMax,
        "umin" => RmwOp::UMin,
        "fadd" => RmwOp::FAdd,
        "fsub" => RmwOp::FSub,
        "fmax" => RmwOp::FMax,
        "fmin" => RmwOp::FMin,
        _ => return None,
    })
}
