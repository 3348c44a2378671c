//! Constants.

use super::lexer::Token;
use super::{Failure, Parsed, Parser, describe, name_text};
use crate::{BinaryOp, CastOp, Constant, ConstantExpr, Scalar, Symbol, Type, TypedConstant};

impl Parser<'_> {
    /// A type and a constant of it.
    pub(super) fn typed_constant(&mut self) -> Parsed<TypedConstant> {
        let ty = self.ty()?;
        self.constant(&ty)
    }

    /// A constant of type `ty`.
    pub(super) fn constant(&mut self, ty: &Type) -> Parsed<TypedConstant> {
        self.spend(1)?;
        let value = self.deeper(|parser| parser.constant_value(ty))?;
        Ok(TypedConstant { ty: ty.clone(), value })
    }

    fn constant_value(&mut self, ty: &Type) -> Parsed<Constant> {
        match self.token.clone() {
            Token::Int(negative, magnitude) => {
                let Type::Scalar(Scalar::Int(width)) = ty else {
                    return self.error(format!("an integer cannot be a `{ty}`"));
                };
                let value = if negative { magnitude.wrapping_neg() } else { magnitude };
                let mask = if *width >= 64 { u64::MAX } else { (1 << width) - 1 };
                let fits =
                    if negative { magnitude <= 1 << (u32::from(*width) - 1) } else { magnitude <= mask };
                if !fits {
                    return self.error(format!("this integer does not fit into `{ty}`"));
                }
                self.advance()?;
                Ok(Constant::Int(value & mask))
            }
            Token::Decimal(number) => {
                let bits = self.float_bits(ty, None, number.to_bits())?;
                self.advance()?;
                Ok(Constant::Float(bits))
            }
            Token::Hex(letter, bits) => {
                let bits = self.float_bits(ty, letter, bits)?;
                self.advance()?;
                Ok(Constant::Float(bits))
            }
            Token::Word(word) => self.word_constant(ty, word),
            Token::Bytes(bytes) => {
                let Type::Array(element, count) = ty else {
                    return self.error(format!("a string cannot be a `{ty}`"));
                };
                if **element != Type::I8 || *count != bytes.len() as u64 {
                    return self.error(format!("this string has {} bytes and is no `{ty}`", bytes.len()));
                }
                self.spend(*count)?;
                self.advance()?;
                let bytes = bytes.iter().map(|byte| TypedConstant::int(Type::I8, u64::from(*byte)));
                Ok(Constant::Aggregate(bytes.collect()))
            }
            Token::Global(name) => {
                if !ty.is_ptr() {
                    return self.error(format!("`@{}` is a pointer, not a `{ty}`", name_text(&name)));
                }
                match self.symbols.get(&name).copied() {
                    Some(symbol) => {
                        self.advance()?;
                        Ok(match symbol {
                            Symbol::Global(id) => Constant::Global(id),
                            Symbol::Function(id) => Constant::Function(id),
                        })
                    }
                    None => self.error(format!("`@{}` is not defined", name_text(&name))),
                }
            }
            Token::Punct(open @ (b'[' | b'{' | b'<')) => self.aggregate(ty, open),
            other => self.error(format!("expected a constant, found {}", describe(&other))),
        }
    }

    fn word_constant(&mut self, ty: &Type, word: &str) -> Parsed<Constant> {
        let simple = match word {
            "true" | "false" if *ty == Type::I1 => Some(Constant::Int(u64::from(word == "true"))),
            "null" if ty.is_ptr() => Some(Constant::Zero),
            "undef" => Some(Constant::Undef),
            "poison" => Some(Constant::Poison),
            "zeroinitializer" => Some(match ty {
                Type::Scalar(Scalar::Int(_)) => Constant::Int(0),
                Type::Scalar(scalar) if scalar.is_float() => Constant::Float(0),
                _ => Constant::Zero,
            }),
            _ => None,
        };
        if let Some(constant) = simple {
            if matches!(ty, Type::Void | Type::Metadata) {
                return self.error(format!("there is no constant of type `{ty}`"));
            }
            self.advance()?;
            return Ok(constant);
        }
        match word {
            "splat" => {
                let Type::Vector(scalar, lanes) = ty else {
                    return self.error(format!("`splat` gives a vector, not a `{ty}`"));
                };
                self.advance()?;
                self.expect_punct(b'(')?;
                let offset = self.offset;
                let element = self.typed_constant()?;
                if element.ty != Type::Scalar(*scalar) {
                    return Self::error_at(offset, format!("elements of `{ty}` are `{scalar}`"));
                }
                self.expect_punct(b')')?;
                self.spend(u64::from(*lanes))?;
                Ok(Constant::Aggregate(vec![element; *lanes as usize].into()))
            }
            "getelementptr" => self.gep_expression(),
            _ => {
                if let Some(op) = cast_op(word) {
                    self.advance()?;
                    self.eat_flags()?;
                    self.expect_punct(b'(')?;
                    let value = self.typed_constant()?;
                    self.expect_word("to")?;
                    let offset = self.offset;
                    let to = self.ty()?;
                    if to != *ty {
                        return Self::error_at(offset, format!("expected `{ty}` here"));
                    }
                    self.expect_punct(b')')?;
                    return Ok(Constant::Expr(ConstantExpr::Cast { op, value }.into()));
                }
                if let Some(op) = binary_op(word) {
                    self.advance()?;
                    self.eat_flags()?;
                    self.expect_punct(b'(')?;
                    let lhs = self.typed_constant()?;
                    self.expect_punct(b',')?;
                    let rhs = self.typed_constant()?;
                    self.expect_punct(b')')?;
                    return Ok(Constant::Expr(ConstantExpr::Binary { op, lhs, rhs }.into()));
                }
                self.error(format!("expected a constant of type `{ty}`, found `{word}`"))
            }
        }
    }

    /// Steps over flags of a constant expression.
    fn eat_flags(&mut self) -> Parsed<()> {
        while matches!(
            self.token,
            Token::Word("nuw" | "nsw" | "nusw" | "exact" | "disjoint" | "nneg" | "inbounds")
        ) {
            self.advance()?;
        }
        Ok(())
    }

    fn gep_expression(&mut self) -> Parsed<Constant> {
        self.advance()?;
        let inbounds = self.eat_word("inbounds")?;
        self.eat_flags()?;
        if self.is_word("inrange") {
            return self.error("`inrange` is not supported");
        }
        self.expect_punct(b'(')?;
        let source = self.ty()?;
        self.expect_punct(b',')?;
        let base = self.typed_constant()?;
        let mut indices = Vec::new();
        while self.eat_punct(b',')? {
            indices.push(self.typed_constant()?);
        }
        self.expect_punct(b')')?;
        Ok(Constant::Expr(ConstantExpr::Gep { source, base, indices, inbounds }.into()))
    }

    fn aggregate(&mut self, ty: &Type, open: u8) -> Parsed<Constant> {
        let start = self.offset;
        self.advance()?;
        let packed = open == b'<' && self.is_punct(b'{');
        if packed {
            self.advance()?;
        }
        let close = match (open, packed) {
            (b'[', _) => b']',
            (b'{', _) | (_, true) => b'}',
            _ => b'>',
        };
        let fits = match ty {
            Type::Array(..) => open == b'[',
            Type::Vector(..) => open == b'<' && !packed,
            Type::Struct(structure) => close == b'}' && structure.packed == packed,
            Type::Void | Type::Scalar(_) | Type::Metadata => false,
        };
        if !fits {
            return Self::error_at(start, format!("this is no constant of type `{ty}`"));
        }
        let mut elements = Vec::new();
        while !self.is_punct(close) {
            let offset = self.offset;
            let element = self.typed_constant()?;
            let expected = ty.element(elements.len() as u64);
            if expected.as_ref() != Some(&element.ty) {
                return Self::error_at(
                    offset,
                    format!("element {} of `{ty}` is not a `{}`", elements.len(), element.ty),
                );
            }
            elements.push(element);
            if !self.eat_punct(b',')? {
                break;
            }
        }
        if ty.element(elements.len() as u64).is_some() {
            return Self::error_at(start, format!("a `{ty}` has more than {} elements", elements.len()));
        }
        self.expect_punct(close)?;
        if packed {
            self.expect_punct(b'>')?;
        }
        if elements.is_empty() {
            return Ok(Constant::Zero);
        }
        Ok(Constant::Aggregate(elements.into()))
    }

    /// Bits of a number in the format of `ty`, from its letter form or the bits of a double.
    fn float_bits(&self, ty: &Type, letter: Option<u8>, bits: u64) -> Parsed<u64> {
        let inexact = || Failure {
            offset: self.offset,
            message: format!("this number is not exact in `{ty}`: write it in hexadecimal"),
        };
        match (ty, letter) {
            (Type::Scalar(Scalar::Half), Some(b'H')) | (Type::Scalar(Scalar::BFloat), Some(b'R')) => {
                if bits > 0xffff { self.error("this format has 16 bits") } else { Ok(bits) }
            }
            (Type::Scalar(Scalar::Double), None) => Ok(bits),
            (Type::Scalar(Scalar::Float), None) => narrow(bits, 8, 23).ok_or_else(inexact),
            (Type::Scalar(Scalar::Half), None) => narrow(bits, 5, 10).ok_or_else(inexact),
            (Type::Scalar(Scalar::BFloat), None) => narrow(bits, 8, 7).ok_or_else(inexact),
            _ => self.error(format!("this number cannot be a `{ty}`")),
        }
    }
}

/// Bits of the narrower format with so many exponent and fraction bits that equals a double exactly.
fn narrow(bits: u64, exponent_bits: u32, fraction_bits: u32) -> Option<u64> {
    let sign = (bits >> 63) << (exponent_bits + fraction_bits);
    let exponent = (bits >> 52 & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let dropped = 52 - fraction_bits;
    let top = (1_u64 << exponent_bits) - 1;
    if exponent == 0x7ff {
        // Infinity, or a NaN with its payload.
        let narrowed = fraction >> dropped;
        return (narrowed << dropped == fraction).then_some(sign | (top << fraction_bits) | narrowed);
    }
    if exponent == 0 {
        // Denormal doubles are denormal in no narrower format.
        return (fraction == 0).then_some(sign);
    }
    let bias = (1_i64 << (exponent_bits - 1)) - 1;
    let biased = exponent - 1023 + bias;
    if biased >= top as i64 {
        return None;
    }
    if biased >= 1 {
        let narrowed = fraction >> dropped;
        return (narrowed << dropped == fraction)
            .then_some(sign | ((biased as u64) << fraction_bits) | narrowed);
    }
    let significand = fraction | (1 << 52);
    let shift = i64::from(dropped) + 1 - biased;
    if shift > 52 {
        return None;
    }
    let narrowed = significand >> shift;
    (narrowed << shift == significand).then_some(sign | narrowed)
}

pub(super) fn cast_op(word: &str) -> Option<CastOp> {
    Some(match word {
        "trunc" => CastOp::Trunc,
        "zext" => CastOp::ZExt,
        "sext" => CastOp::SExt,
        "fptrunc" => CastOp::FpTrunc,
        "fpext" => CastOp::FpExt,
        "fptoui" => CastOp::FpToUi,
        "fptosi" => CastOp::FpToSi,
        "uitofp" => CastOp::UiToFp,
        "sitofp" => CastOp::SiToFp,
        "bitcast" => CastOp::Bitcast,
        "ptrtoint" => CastOp::PtrToInt,
        "inttoptr" => CastOp::IntToPtr,
        "addrspacecast" => CastOp::AddrSpaceCast,
        _ => return None,
    })
}

pub(super) fn binary_op(word: &str) -> Option<BinaryOp> {
    Some(match word {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "mul" => BinaryOp::Mul,
        "udiv" => BinaryOp::UDiv,
        "sdiv" => BinaryOp::SDiv,
        "urem" => BinaryOp::URem,
        "srem" => BinaryOp::SRem,
        "shl" => BinaryOp::Shl,
        "lshr" => BinaryOp::LShr,
        "ashr" => BinaryOp::AShr,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        "fadd" => BinaryOp::FAdd,
        "fsub" => BinaryOp::FSub,
        "fmul" => BinaryOp::FMul,
        "fdiv" => BinaryOp::FDiv,
        "frem" => BinaryOp::FRem,
        _ => return None,
    })
}
