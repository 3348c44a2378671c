//! Give every integer operation and float conversion a result, before LLVM may choose one.
//!
//! **Before** `%q = sdiv i32 %a, %b`, `%s = shl i32 %a, %n`, `%i = fptosi float %x to i32`
//! **After** the divisor is 1 and the result chosen where the quotient has none; `%n` is taken modulo 32;
//! `@llvm.fptosi.sat.i32.f32` saturates.
//! **Ensures** no `udiv`, `sdiv`, `urem`, `srem` with an operand for which LLVM's result is undefined; no
//! shift by the width or more; no `fptosi`, `fptoui`.
//! **Cost** linear.
//! **Source** mw-air's SEMANTICS.md. **Not done** `nsw`, `nuw` and `inbounds` stay: they are promises of the
//! front-end, which overflow in a signed addition breaks there already.

use mw_air::{
    Attributes, BinaryOp, Call, Callee, CastOp, Constant, Flags, FuncId, Function, FunctionType, Inst,
    InstId, IntPredicate, Module, Scalar, Type, TypedConstant, ValueId,
};

/// Rewrites every function of the module.
pub(crate) fn run(module: &mut Module) {
    let mut conversions = Conversions::default();
    let count = module.functions.len();
    for index in 0..count {
        let mut function = std::mem::replace(&mut module.functions[index], Function::new("", void()));
        rewrite(&mut function, &mut |op, from, to| conversions.function(count, op, from, to));
        module.functions[index] = function;
    }
    for (name, ty) in conversions.new {
        module.functions.push(Function::new(&name, ty));
    }
}

fn void() -> FunctionType {
    FunctionType { ret: Type::Void, params: Vec::new(), varargs: false }
}

/// Saturating conversions that the module needs. They are appended to its functions; a module that
/// declares one already gets a second declaration, which `Prepared` merges by name.
#[derive(Default)]
struct Conversions {
    new: Vec<(String, FunctionType)>,
}

impl Conversions {
    fn function(&mut self, base: usize, op: CastOp, from: &Type, to: &Type) -> (FuncId, FunctionType) {
        let sign = if op == CastOp::FpToSi { 's' } else { 'u' };
        let name = format!("llvm.fpto{sign}i.sat.{}.{}", overload(to), overload(from));
        let ty = FunctionType { ret: to.clone(), params: vec![from.clone()], varargs: false };
        let index = self.new.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.new.push((name, ty.clone()));
            self.new.len() - 1
        });
        (FuncId::new(base + index), ty)
    }
}

/// How LLVM spells a type in the name of an intrinsic.
fn overload(ty: &Type) -> String {
    let scalar = ty.scalar().expect("conversions are on scalars and vectors").suffix();
    match ty {
        Type::Vector(_, lanes) => format!("v{lanes}{scalar}"),
        _ => scalar,
    }
}

type Convert<'a> = dyn FnMut(CastOp, &Type, &Type) -> (FuncId, FunctionType) + 'a;

fn rewrite(function: &mut Function, convert: &mut Convert<'_>) {
    for block in function.block_ids() {
        let old = std::mem::take(&mut function.block_mut(block).insts);
        let mut new = Vec::with_capacity(old.len());
        for id in old {
            let mut cursor = Cursor { function, out: &mut new };
            match cursor.function.inst(id).inst {
                Inst::Binary { op, lhs, rhs, .. } => match op {
                    BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => cursor.shift(id, rhs),
                    BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => {
                        cursor.divide(id, op, lhs, rhs);
                    }
                    _ => new.push(id),
                },
                Inst::Cast { op: op @ (CastOp::FpToSi | CastOp::FpToUi), value, .. } => {
                    let from = function.value_type(value).clone();
                    let to = function.value_type(function.inst(id).result.expect("casts give values"));
                    let (callee, ty) = convert(op, &from, &to.clone());
                    function.inst_mut(id).inst = Inst::Call(Box::new(Call {
                        callee: Callee::Function(callee),
                        ty,
                        args: vec![value],
                        attrs: Attributes::default(),
                        ret_attrs: Attributes::default(),
                        arg_attrs: Vec::new(),
                        calling_convention: 0,
                        tail: 0,
                        flags: Flags::NONE,
                    }));
                    new.push(id);
                }
                _ => new.push(id),
            }
        }
        function.block_mut(block).insts = new;
    }
}

/// Appends instructions to the list that becomes a block.
struct Cursor<'a> {
    function: &'a mut Function,
    out: &'a mut Vec<InstId>,
}

impl Cursor<'_> {
    fn push(&mut self, inst: Inst, ty: Type) -> ValueId {
        let id = self.function.make_inst(inst, ty);
        self.out.push(id);
        self.function.inst(id).result.expect("instruction gives a value")
    }

    fn splat(&mut self, ty: &Type, value: u64) -> ValueId {
        let scalar = Type::Scalar(ty.scalar().expect("integers"));
        let element = TypedConstant::int(scalar, value);
        let constant = match ty {
            Type::Vector(_, lanes) => TypedConstant {
                ty: ty.clone(),
                value: Constant::Aggregate(vec![element; *lanes as usize].into()),
            },
            _ => element,
        };
        self.function.add_constant(constant)
    }

    fn binary(&mut self, op: BinaryOp, lhs: ValueId, rhs: ValueId) -> ValueId {
        let ty = self.function.value_type(lhs).clone();
        self.push(Inst::Binary { op, lhs, rhs, flags: Flags::NONE }, ty)
    }

    fn equals(&mut self, lhs: ValueId, ty: &Type, constant: u64) -> ValueId {
        let rhs = self.splat(ty, constant);
        let ty = ty.with_scalar(Scalar::Int(1));
        self.push(Inst::ICmp { predicate: IntPredicate::Eq, lhs, rhs, flags: Flags::NONE }, ty)
    }

    /// Takes the count modulo the width.
    fn shift(&mut self, id: InstId, count: ValueId) {
        let ty = self.function.value_type(count).clone();
        let bits = u64::from(ty.scalar().map_or(1, Scalar::bits));
        let in_range =
            elements(self.function, count).is_some_and(|counts| counts.iter().all(|count| *count < bits));
        if !in_range && bits.is_power_of_two() {
            let mask = self.splat(&ty, bits - 1);
            let masked = self.binary(BinaryOp::And, count, mask);
            if let Inst::Binary { rhs, .. } = &mut self.function.inst_mut(id).inst {
                *rhs = masked;
            }
        }
        self.out.push(id);
    }

    /// Divides by 1 where there is no quotient. `x / 0` is 0 and `x % 0` is `x`; the smallest integer
    /// divided by −1 is itself, with remainder 0, which a divisor of 1 gives.
    fn divide(&mut self, id: InstId, op: BinaryOp, lhs: ValueId, rhs: ValueId) {
        let ty = self.function.value_type(lhs).clone();
        let bits = ty.scalar().map_or(1, Scalar::bits);
        let all_ones = u64::MAX >> (64 - bits);
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let defined = elements(self.function, rhs).is_some_and(|divisors| {
            divisors.iter().all(|divisor| *divisor != 0 && !(signed && *divisor == all_ones))
        });
        if defined {
            self.out.push(id);
            return;
        }
        let zero_divisor = self.equals(rhs, &ty, 0);
        let undefined = if signed {
            let minus_one = self.equals(rhs, &ty, all_ones);
            let smallest = self.equals(lhs, &ty, 1 << (bits - 1));
            let overflow = self.binary(BinaryOp::And, minus_one, smallest);
            self.binary(BinaryOp::Or, zero_divisor, overflow)
        } else {
            zero_divisor
        };
        let one = self.splat(&ty, 1);
        let divisor = self.select(undefined, one, rhs);
        let quotient = self.binary(op, lhs, divisor);
        let replacement = match op {
            BinaryOp::UDiv | BinaryOp::SDiv => self.splat(&ty, 0),
            _ => lhs,
        };
        // The old instruction becomes the choice, so that its uses stay.
        self.function.inst_mut(id).inst = Inst::Select {
            condition: zero_divisor,
            on_true: replacement,
            on_false: quotient,
            flags: Flags::NONE,
        };
        self.out.push(id);
    }

    fn select(&mut self, condition: ValueId, on_true: ValueId, on_false: ValueId) -> ValueId {
        let ty = self.function.value_type(on_true).clone();
        self.push(Inst::Select { condition, on_true, on_false, flags: Flags::NONE }, ty)
    }
}

/// The integers of a constant scalar or vector; `None` when one is not a plain integer.
fn elements(function: &Function, value: ValueId) -> Option<Vec<u64>> {
    let constant = function.typed_constant(value)?;
    match &constant.value {
        Constant::Aggregate(elements) => elements.iter().map(TypedConstant::as_int).collect(),
        Constant::Zero => Some(vec![0]),
        _ => Some(vec![constant.as_int()?]),
    }
}
