//! Expressions: handles on values of a function under construction that read like the maths.
//!
//! An [`Expr`] is a value with the [`Body`] that it belongs to, so that `x * y + 1.0` appends instructions.
//! Operators choose the float or the integer instruction by the type of the left operand; numbers on the
//! right take that type. Nothing here rounds, fuses or reorders behind the writer's back: `a * b + c` is
//! two instructions and two roundings, [`Expr::fma`] is one.

use std::cell::{Cell, RefCell};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Sub};

use mw_air::{
    BinaryOp, BlockId, Builder, CastOp, FloatPredicate, FuncId, Function, FunctionType, Inst, IntPredicate,
    Scalar, Type, ValueId,
};

/// Names and types of the functions that bodies call; the linker gives each its place in the module.
#[derive(Debug, Default)]
pub(crate) struct Externs {
    /// Handles of functions that exist, by name.
    pub(crate) by_name: rustc_hash::FxHashMap<String, FuncId>,
    /// Declarations to append to the module, in order of their handles.
    pub(crate) added: Vec<Function>,
    /// Number of functions that the module had before `added`.
    pub(crate) base: usize,
}

impl Externs {
    /// The function called `name`, declared on first use.
    fn get(&mut self, name: &str, ty: &FunctionType) -> FuncId {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let id = FuncId::new(self.base + self.added.len());
        self.added.push(Function::new(name, ty.clone()));
        self.by_name.insert(name.to_owned(), id);
        id
    }
}

/// A function under construction.
#[derive(Debug)]
pub(crate) struct Body {
    function: RefCell<Function>,
    block: Cell<BlockId>,
    externs: RefCell<Externs>,
    /// Whether the module flushes f32 denormals.
    pub(crate) flush: bool,
}

impl Body {
    /// Starts the body of a declaration.
    pub(crate) fn new(mut function: Function, externs: Externs, flush: bool) -> Self {
        debug_assert!(function.is_declaration());
        let entry = function.add_block();
        Self {
            function: RefCell::new(function),
            block: Cell::new(entry),
            externs: RefCell::new(externs),
            flush,
        }
    }

    /// Ends the function with a return and hands everything back.
    pub(crate) fn finish(self, result: Option<ValueId>) -> (Function, Externs) {
        self.build(|b| b.ret(result));
        (self.function.into_inner(), self.externs.into_inner())
    }

    fn build<R>(&self, action: impl FnOnce(&mut Builder<'_>) -> R) -> R {
        let mut function = self.function.borrow_mut();
        action(&mut Builder::at(&mut function, self.block.get()))
    }

    fn expr(&self, action: impl FnOnce(&mut Builder<'_>) -> ValueId) -> Expr<'_> {
        let value = self.build(action);
        Expr { body: self, value }
    }

    /// Parameter `index`.
    pub(crate) fn param(&self, index: usize) -> Expr<'_> {
        Expr { body: self, value: self.function.borrow().param(index) }
    }

    /// All parameters.
    pub(crate) fn params(&self) -> Vec<Expr<'_>> {
        let count = self.function.borrow().ty.params.len();
        (0..count).map(|index| self.param(index)).collect()
    }

    /// Type that the function returns.
    pub(crate) fn return_type(&self) -> Type {
        self.function.borrow().ty.ret.clone()
    }

    /// A float constant of type `ty`, rounded from `value`.
    pub(crate) fn float(&self, ty: &Type, value: f64) -> Expr<'_> {
        self.expr(|b| b.float(ty, value))
    }

    /// An f32 constant.
    pub(crate) fn f32(&self, value: f64) -> Expr<'_> {
        self.float(&Type::FLOAT, value)
    }

    /// An integer constant of type `ty`; upper bits are dropped.
    pub(crate) fn int(&self, ty: &Type, value: i64) -> Expr<'_> {
        self.expr(|b| b.int(ty, value as u64))
    }

    /// A quiet NaN of type `ty`.
    pub(crate) fn nan(&self, ty: &Type) -> Expr<'_> {
        let bits = match ty.scalar() {
            Some(Scalar::Half) => 0x7e00,
            Some(Scalar::BFloat) => 0x7fc0,
            Some(Scalar::Double) => 0x7ff8_0000_0000_0000,
            _ => 0x7fc0_0000,
        };
        self.expr(|b| b.float_bits(ty, bits))
    }

    /// A vector that is filled element by element.
    pub(crate) fn poison(&self, ty: &Type) -> Expr<'_> {
        self.expr(|b| b.poison(ty))
    }

    /// Private memory for a `ty`.
    pub(crate) fn alloca(&self, ty: &Type) -> Expr<'_> {
        let align = ty.scalar().expect("scalar").bits() / 8;
        self.expr(|b| b.alloca(ty, align))
    }

    /// Calls the function `name`, which is declared when it is not there yet.
    pub(crate) fn call(&self, name: &str, args: &[Expr<'_>], ret: &Type) -> Expr<'_> {
        let args: Vec<ValueId> = args.iter().map(|arg| arg.value).collect();
        let params = args.iter().map(|arg| self.function.borrow().value_type(*arg).clone()).collect();
        let ty = FunctionType { ret: ret.clone(), params, varargs: false };
        let callee = self.externs.borrow_mut().get(name, &ty);
        self.expr(|b| b.call(callee, &ty, args).expect("library functions return something"))
    }

    /// Runs `rare` only where `condition` holds, in a block of its own. Its results replace `common`.
    pub(crate) fn branch<'a>(
        &'a self,
        condition: Expr<'a>,
        common: &[Expr<'a>],
        rare: impl FnOnce() -> Vec<Expr<'a>>,
    ) -> Vec<Expr<'a>> {
        let from = self.block.get();
        let (rare_block, join) = self.build(|b| (b.add_block(), b.add_block()));
        self.build(|b| b.cond_br(condition.value, rare_block, join));
        self.block.set(rare_block);
        let results = rare();
        debug_assert_eq!(results.len(), common.len());
        let rare_end = self.block.get();
        self.build(|b| b.br(join));
        self.block.set(join);
        common
            .iter()
            .zip(results)
            .map(|(common, rare)| {
                let incoming = vec![(from, common.value), (rare_end, rare.value)];
                let ty = common.ty();
                self.expr(|b| b.phi(&ty, incoming))
            })
            .collect()
    }

    /// `while condition(state) { state = step(state) }` on one value.
    pub(crate) fn repeat_while<'a>(
        &'a self,
        start: Expr<'a>,
        condition: impl FnOnce(Expr<'a>) -> Expr<'a>,
        step: impl FnOnce(Expr<'a>) -> Expr<'a>,
    ) -> Expr<'a> {
        let from = self.block.get();
        let (head, inner, exit) = self.build(|b| (b.add_block(), b.add_block(), b.add_block()));
        self.build(|b| b.br(head));
        self.block.set(head);
        let ty = start.ty();
        let state = self.expr(|b| b.phi(&ty, vec![(from, start.value)]));
        let go_on = condition(state);
        self.build(|b| b.cond_br(go_on.value, inner, exit));
        self.block.set(inner);
        let next = step(state);
        let inner_end = self.block.get();
        self.build(|b| b.br(head));
        let mut function = self.function.borrow_mut();
        let phi = function.defining_inst(state.value).expect("made above");
        if let Inst::Phi { incoming, .. } = &mut function.inst_mut(phi).inst {
            incoming.push((inner_end, next.value));
        }
        self.block.set(exit);
        state
    }
}

/// A value with the function that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expr<'a> {
    pub(crate) body: &'a Body,
    pub(crate) value: ValueId,
}

/// What can stand beside an [`Expr`]: another one, or a number that takes its type.
pub(crate) trait Operand<'a> {
    /// The operand as a value of the type of `like`.
    fn of(self, like: Expr<'a>) -> Expr<'a>;
}

impl<'a> Operand<'a> for Expr<'a> {
    fn of(self, _like: Expr<'a>) -> Expr<'a> {
        self
    }
}

impl<'a> Operand<'a> for f64 {
    fn of(self, like: Expr<'a>) -> Expr<'a> {
        like.body.float(&like.ty(), self)
    }
}

impl<'a> Operand<'a> for i64 {
    fn of(self, like: Expr<'a>) -> Expr<'a> {
        like.body.int(&like.ty(), self)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $float:expr, $int:expr) => {
        impl<'a, R: Operand<'a>> $trait<R> for Expr<'a> {
            type Output = Self;

            fn $method(self, rhs: R) -> Self {
                let op = if self.ty().is_float() { $float } else { $int };
                self.binary(op, rhs)
            }
        }
    };
}

operator!(Add, add, BinaryOp::FAdd, BinaryOp::Add);
operator!(Sub, sub, BinaryOp::FSub, BinaryOp::Sub);
operator!(Mul, mul, BinaryOp::FMul, BinaryOp::Mul);
operator!(Div, div, BinaryOp::FDiv, BinaryOp::SDiv);
operator!(BitAnd, bitand, BinaryOp::And, BinaryOp::And);
operator!(BitOr, bitor, BinaryOp::Or, BinaryOp::Or);
operator!(BitXor, bitxor, BinaryOp::Xor, BinaryOp::Xor);
operator!(Shl, shl, BinaryOp::Shl, BinaryOp::Shl);

impl Neg for Expr<'_> {
    type Output = Self;

    fn neg(self) -> Self {
        if self.ty().is_float() {
            self.body.expr(|b| b.fneg(self.value))
        } else {
            self.body.int(&self.ty(), 0) - self
        }
    }
}

impl Not for Expr<'_> {
    type Output = Self;

    fn not(self) -> Self {
        self ^ -1
    }
}

/// `condition ? on_true : on_false`; a number takes the type of `on_true`.
pub(crate) fn select<'a>(condition: Expr<'a>, on_true: Expr<'a>, on_false: impl Operand<'a>) -> Expr<'a> {
    let on_false = on_false.of(on_true);
    on_true.body.expr(|b| b.select(condition.value, on_true.value, on_false.value))
}

macro_rules! comparisons {
    ($($name:ident: $float:ident, $int:ident;)*) => {
        $(
            #[doc = concat!("`", stringify!($float), "` of floats (false with NaN), `", stringify!($int), "` of integers.")]
            pub(crate) fn $name(self, rhs: impl Operand<'a>) -> Self {
                if self.ty().is_float() {
                    self.fcmp(FloatPredicate::$float, rhs)
                } else {
                    self.icmp(IntPredicate::$int, rhs)
                }
            }
        )*
    };
}

macro_rules! intrinsics {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("`llvm.", stringify!($name), "`.")]
            pub(crate) fn $name(self) -> Self {
                self.intrinsic(stringify!($name), &[])
            }
        )*
    };
}

impl<'a> Expr<'a> {
    /// Type of the value.
    pub(crate) fn ty(self) -> Type {
        self.body.function.borrow().value_type(self.value).clone()
    }

    /// Width of the scalar in bits.
    pub(crate) fn bits(self) -> i64 {
        i64::from(self.ty().scalar().expect("scalar or vector").bits())
    }

    /// `self op rhs`.
    pub(crate) fn binary(self, op: BinaryOp, rhs: impl Operand<'a>) -> Self {
        let rhs = rhs.of(self);
        self.body.expr(|b| b.binary(op, self.value, rhs.value))
    }

    /// Logical shift right.
    pub(crate) fn lshr(self, rhs: impl Operand<'a>) -> Self {
        self.binary(BinaryOp::LShr, rhs)
    }

    /// Arithmetic shift right.
    pub(crate) fn ashr(self, rhs: impl Operand<'a>) -> Self {
        self.binary(BinaryOp::AShr, rhs)
    }

    fn fcmp(self, predicate: FloatPredicate, rhs: impl Operand<'a>) -> Self {
        let rhs = rhs.of(self);
        self.body.expr(|b| b.fcmp(predicate, self.value, rhs.value))
    }

    /// Integer comparison.
    pub(crate) fn icmp(self, predicate: IntPredicate, rhs: impl Operand<'a>) -> Self {
        let rhs = rhs.of(self);
        self.body.expr(|b| b.icmp(predicate, self.value, rhs.value))
    }

    comparisons! {
        eq: Oeq, Eq;
        gt: Ogt, Sgt;
        ge: Oge, Sge;
        lt: Olt, Slt;
        le: Ole, Sle;
    }

    /// Not equal; true with NaN.
    pub(crate) fn ne(self, rhs: impl Operand<'a>) -> Self {
        if self.ty().is_float() {
            self.fcmp(FloatPredicate::Une, rhs)
        } else {
            self.icmp(IntPredicate::Ne, rhs)
        }
    }

    /// Unsigned less than.
    pub(crate) fn ult(self, rhs: impl Operand<'a>) -> Self {
        self.icmp(IntPredicate::Ult, rhs)
    }

    /// Not less than: true with NaN.
    pub(crate) fn not_lt(self, rhs: impl Operand<'a>) -> Self {
        self.fcmp(FloatPredicate::Uge, rhs)
    }

    /// Whether it is NaN.
    pub(crate) fn is_nan(self) -> Self {
        self.fcmp(FloatPredicate::Uno, self)
    }

    /// The greater one; a NaN in `self` stays.
    pub(crate) fn at_least(self, bound: impl Operand<'a>) -> Self {
        let bound = bound.of(self);
        select(self.lt(bound), bound, self)
    }

    /// The smaller one; a NaN in `self` stays.
    pub(crate) fn at_most(self, bound: impl Operand<'a>) -> Self {
        let bound = bound.of(self);
        select(self.gt(bound), bound, self)
    }

    /// Calls `llvm.<name>.<type>` on `self` and `rest`; the result has the type of `self`.
    pub(crate) fn intrinsic(self, name: &str, rest: &[Self]) -> Self {
        let ty = self.ty();
        let mut args = vec![self];
        args.extend_from_slice(rest);
        self.body.call(&format!("llvm.{name}.{}", suffix(&ty)), &args, &ty)
    }

    intrinsics! { fabs floor ceil trunc roundeven sqrt ctpop bitreverse }

    /// `self * b + c`, rounded once.
    pub(crate) fn fma(self, b: impl Operand<'a>, c: impl Operand<'a>) -> Self {
        let (b, c) = (b.of(self), c.of(self));
        self.intrinsic("fma", &[b, c])
    }

    /// Magnitude of `self`, sign of `sign`.
    pub(crate) fn copysign(self, sign: Self) -> Self {
        self.intrinsic("copysign", &[sign])
    }

    /// Conversion instruction.
    pub(crate) fn cast(self, op: CastOp, ty: &Type) -> Self {
        if self.ty() == *ty {
            return self;
        }
        self.body.expr(|b| b.cast(op, self.value, ty))
    }

    /// The same bits as an integer.
    pub(crate) fn to_bits(self) -> Self {
        let ty = self.ty();
        let bits = ty.scalar().expect("scalar or vector").bits() as u16;
        self.cast(CastOp::Bitcast, &ty.with_scalar(Scalar::Int(bits)))
    }

    /// The same bits as a float of type `ty`.
    pub(crate) fn as_float(self, ty: &Type) -> Self {
        self.cast(CastOp::Bitcast, ty)
    }

    /// As a double, exactly.
    pub(crate) fn to_f64(self) -> Self {
        self.cast(CastOp::FpExt, &Type::DOUBLE)
    }

    /// As a float: rounds a double, widens a half or bfloat.
    pub(crate) fn to_f32(self) -> Self {
        self.to_float(&Type::FLOAT)
    }

    /// In another floating-point format. Half and bfloat meet in f32.
    ///
    /// A bfloat is widened by moving its bits: an optimiser that sees a conversion compares the bfloat
    /// instead of the f32, and then a denormal is no zero.
    pub(crate) fn to_float(self, ty: &Type) -> Self {
        let from = self.ty().scalar().expect("float");
        let to = ty.scalar().expect("float");
        match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Less if from == Scalar::BFloat => {
                let bits = self.to_bits().cast(CastOp::ZExt, &ty.with_scalar(Scalar::Int(32))) << 16;
                bits.as_float(&ty.with_scalar(Scalar::Float)).to_float(ty)
            }
            std::cmp::Ordering::Less => self.cast(CastOp::FpExt, ty),
            std::cmp::Ordering::Greater => self.cast(CastOp::FpTrunc, ty),
            std::cmp::Ordering::Equal if from == to => self,
            std::cmp::Ordering::Equal => self.to_float(&ty.with_scalar(Scalar::Float)).to_float(ty),
        }
    }

    /// An integer of another width; `signed` says how it grows.
    pub(crate) fn to_int(self, ty: &Type, signed: bool) -> Self {
        let (from, to) = (self.bits(), i64::from(ty.scalar().expect("integer").bits()));
        match from.cmp(&to) {
            std::cmp::Ordering::Less if signed => self.cast(CastOp::SExt, ty),
            std::cmp::Ordering::Less => self.cast(CastOp::ZExt, ty),
            std::cmp::Ordering::Equal => self,
            std::cmp::Ordering::Greater => self.cast(CastOp::Trunc, ty),
        }
    }

    /// One element of a vector.
    pub(crate) fn element(self, index: u32) -> Self {
        self.body.expr(|b| b.extract(self.value, index))
    }

    /// The vector with one element replaced.
    pub(crate) fn with_element(self, index: u32, element: Self) -> Self {
        self.body.expr(|b| b.insert(self.value, element.value, index))
    }

    /// Writes `value` to this pointer.
    pub(crate) fn store(self, value: Self) {
        let align = value.bits() as u32 / 8;
        self.body.build(|b| b.store(self.value, value.value, align));
    }

    /// Reads a `ty` from this pointer.
    pub(crate) fn load(self, ty: &Type) -> Self {
        let align = ty.scalar().expect("scalar").bits() / 8;
        self.body.expr(|b| b.load(ty, self.value, align))
    }

    /// Address of element `index` of an array of `ty` at this pointer.
    pub(crate) fn offset(self, ty: &Type, index: u32) -> Self {
        self.body.expr(|b| {
            let index = b.int(&Type::I64, u64::from(index));
            b.gep(ty, self.value, vec![index])
        })
    }

    /// `c[0] + c[1] x + c[2] x² + …` with fused multiply-adds, highest power first.
    pub(crate) fn polynomial(self, coefficients: &[f64]) -> Self {
        let (last, rest) = coefficients.split_last().expect("at least one coefficient");
        let start = last.of(self);
        rest.iter().rev().fold(start, |sum, coefficient| sum.fma(self, *coefficient))
    }
}

impl<'a> Operand<'a> for &f64 {
    fn of(self, like: Expr<'a>) -> Expr<'a> {
        (*self).of(like)
    }
}

/// The overload suffix of a type: `f32`, `v4i8`.
pub(crate) fn suffix(ty: &Type) -> String {
    let scalar = ty.scalar().expect("scalar or vector").suffix();
    match ty {
        Type::Vector(_, lanes) => format!("v{lanes}{scalar}"),
        _ => scalar,
    }
}
