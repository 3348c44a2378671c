//! Random modules: every one that the verifier accepts runs, gives the same twice, or ends in an error;
//! none panics.

mod harness;

use std::sync::Arc;

use harness::{describe, launch, row};
use mw_air::schema::Builtin;
use mw_air::{
    AddressSpace, BinaryOp, Builder, CastOp, Constant, Flags, FloatPredicate, Function, FunctionType, Inst,
    IntPredicate, Module, Scalar, Type, TypedConstant, ValueId,
};
use mw_interp::InterpBackend;

/// A generator of numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const INTS: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::UDiv,
    BinaryOp::SDiv,
    BinaryOp::URem,
    BinaryOp::SRem,
    BinaryOp::Shl,
    BinaryOp::LShr,
    BinaryOp::AShr,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
];
const FLOATS: [BinaryOp; 5] =
    [BinaryOp::FAdd, BinaryOp::FSub, BinaryOp::FMul, BinaryOp::FDiv, BinaryOp::FRem];

/// Scalar types of every sort, odd widths included.
const SCALARS: [Scalar; 12] = [
    Scalar::Int(1),
    Scalar::Int(3),
    Scalar::Int(8),
    Scalar::Int(16),
    Scalar::Int(24),
    Scalar::Int(32),
    Scalar::Int(57),
    Scalar::Int(64),
    Scalar::Half,
    Scalar::BFloat,
    Scalar::Float,
    Scalar::Double,
];

/// A scalar or vector type.
fn random_type(dice: &mut Dice) -> Type {
    let scalar = *dice.pick(&SCALARS);
    match dice.below(3) {
        0 => Type::Vector(scalar, *dice.pick(&[2, 3, 4, 8])),
        _ => Type::Scalar(scalar),
    }
}

/// Any value of type `ty`: one that is there, or a constant.
fn operand(builder: &mut Builder<'_>, dice: &mut Dice, pool: &[ValueId], ty: &Type) -> ValueId {
    let fitting: Vec<ValueId> = pool.iter().copied().filter(|value| builder.ty(*value) == *ty).collect();
    if !fitting.is_empty() && dice.below(4) > 0 {
        return *dice.pick(&fitting);
    }
    let value = match dice.below(5) {
        0 => Constant::Undef,
        1 => Constant::Zero,
        _ => {
            let number = (dice.0 >> dice.below(60)) ^ dice.0;
            let float = ty.is_float();
            return if float {
                let bits = ty.scalar().map_or(64, Scalar::bits);
                let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
                builder.float_bits(ty, number & mask)
            } else {
                builder.int(ty, number)
            };
        }
    };
    builder.function.add_constant(TypedConstant { ty: ty.clone(), value })
}

/// One random instruction on values of the pool.
fn instruction(builder: &mut Builder<'_>, dice: &mut Dice, pool: &mut Vec<ValueId>, slot: ValueId) {
    let ty = if dice.below(2) == 0 { random_type(dice) } else { builder.ty(*dice.pick(pool)) };
    if ty.scalar().is_none() || ty.address_space().is_some() {
        return;
    }
    let (a, b) = (operand(builder, dice, pool, &ty), operand(builder, dice, pool, &ty));
    let value = match dice.below(12) {
        0..=3 if ty.is_float() => builder.binary(*dice.pick(&FLOATS), a, b),
        0..=3 => builder.binary(*dice.pick(&INTS), a, b),
        4 if ty.is_float() => builder.fcmp(FloatPredicate::Ult, a, b),
        4 => builder.icmp(*dice.pick(&[IntPredicate::Slt, IntPredicate::Ne, IntPredicate::Uge]), a, b),
        5 => {
            let shape = if dice.below(2) == 0 { Type::I1 } else { ty.with_scalar(Scalar::Int(1)) };
            let condition = operand(builder, dice, pool, &shape);
            builder.select(condition, a, b)
        }
        6 => builder.push(Inst::Freeze { value: a }, ty.clone()),
        7 if ty.is_float() => builder.fneg(a),
        7 => {
            let Some(Scalar::Int(bits)) = ty.scalar() else { return };
            let wider = *dice.pick(&[8, 16, 32, 64]);
            let to = ty.with_scalar(Scalar::Int(wider));
            match wider.cmp(&bits) {
                std::cmp::Ordering::Less => builder.cast(CastOp::Trunc, a, &to),
                std::cmp::Ordering::Equal => return,
                std::cmp::Ordering::Greater => {
                    builder.cast(*dice.pick(&[CastOp::SExt, CastOp::ZExt]), a, &to)
                }
            }
        }
        8 if ty.is_float() => {
            let to = ty.with_scalar(Scalar::Int(*dice.pick(&[8, 32, 64])));
            builder.cast(*dice.pick(&[CastOp::FpToSi, CastOp::FpToUi]), a, &to)
        }
        8 => {
            let to =
                ty.with_scalar(*dice.pick(&[Scalar::Half, Scalar::BFloat, Scalar::Float, Scalar::Double]));
            builder.cast(*dice.pick(&[CastOp::SiToFp, CastOp::UiToFp]), a, &to)
        }
        9 => {
            let Type::Vector(scalar, lanes) = ty else { return };
            let index = operand(builder, dice, pool, &Type::I32);
            if dice.below(2) == 0 {
                builder.push(Inst::ExtractElement { vector: a, index }, Type::Scalar(scalar))
            } else {
                let element = operand(builder, dice, pool, &Type::Scalar(scalar));
                let lanes_mask = (0..lanes).map(|_| dice.below(lanes as usize * 2) as i32 - 1).collect();
                let inserted = builder.push(Inst::InsertElement { vector: a, element, index }, ty.clone());
                builder.shuffle(inserted, b, lanes_mask)
            }
        }
        10 => {
            // Through private memory, and back as something else of that size.
            builder.store(slot, a, 1);
            let other = builder.ty(*dice.pick(pool));
            if other.address_space().is_some() {
                return;
            }
            builder.load(&other, slot, 1)
        }
        _ => {
            let index = operand(builder, dice, pool, &Type::I32);
            let seven = builder.int(&Type::I32, 7);
            let small = builder.binary_flags(BinaryOp::And, index, seven, Flags::NONE);
            let at = builder.gep(&Type::I8, slot, vec![small]);
            builder.store(at, a, 1);
            builder.load(&ty, slot, 1)
        }
    };
    pool.push(value);
}

/// A kernel of a few blocks that jump forwards, and one loop with a bound.
fn random_module(seed: u64) -> Module {
    let mut dice = Dice(seed);
    let device = Type::ptr(AddressSpace::DEVICE);
    let ty = FunctionType { ret: Type::Void, params: vec![device, Type::I32], varargs: false };
    let mut function = Function::new("k", ty);
    let blocks: Vec<_> = (0..dice.below(4) + 3).map(|_| function.add_block()).collect();
    let (out, lane) = (function.param(0), function.param(1));
    let mut builder = Builder::at(&mut function, blocks[0]);
    let slot = builder.alloca(&Type::array(Type::I64, 12), 16);
    // Values of the entry dominate everything; those of other blocks are used in their block only.
    let mut shared = vec![lane];
    for _ in 0..dice.below(12) + 4 {
        instruction(&mut builder, &mut dice, &mut shared, slot);
    }
    for (index, block) in blocks.iter().enumerate() {
        builder.switch_to(*block);
        let mut pool = shared.clone();
        for _ in 0..dice.below(10) {
            instruction(&mut builder, &mut dice, &mut pool, slot);
        }
        let later = &blocks[index + 1..];
        if later.is_empty() {
            // All that was computed goes to the output, as bytes of the slot.
            for offset in 0..4_u64 {
                let eight = builder.int(&Type::I64, offset);
                let from = builder.gep(&Type::I32, slot, vec![eight]);
                let word = builder.load(&Type::I32, from, 4);
                let four = builder.int(&Type::I32, 4);
                let base = builder.binary(BinaryOp::Mul, lane, four);
                let place = builder.int(&Type::I32, offset);
                let at = builder.binary(BinaryOp::Add, base, place);
                let to = builder.gep(&Type::I32, out, vec![at]);
                builder.store(to, word, 4);
            }
            builder.ret(None);
            break;
        }
        let (first, second) = (*dice.pick(later), *dice.pick(later));
        if dice.below(3) == 0 {
            builder.br(first);
        } else {
            let condition = operand(&mut builder, &mut dice, &pool, &Type::I1);
            builder.cond_br(condition, first, second);
        }
    }
    let mut module = Module::default();
    module.add_function(function);
    module
}

#[test]
fn random_kernels_run_or_fail_but_never_panic() {
    let (mut ran, mut refused) = (0, 0);
    for seed in 0..250_u64 {
        let module = random_module(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        if let Err(errors) = mw_air::verify(&module) {
            panic!("seed {seed}: {errors:?}");
        }
        let info = Arc::new(describe(&module, &[Builtin::ThreadIndexInThreadgroup]));
        let Ok(kernel) = InterpBackend::default().prepare(&Arc::new(module), &info, 0) else {
            refused += 1;
            continue;
        };
        let mut outputs = Vec::new();
        for _ in 0..2 {
            let mut buffers = [vec![0; 40 * 4]];
            launch(&kernel, row(40), &mut buffers, 0, None)
                .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            outputs.push(buffers);
        }
        assert_eq!(outputs[0], outputs[1], "seed {seed}");
        ran += 1;
    }
    // Only bitcasts through memory of vectors of odd widths may be refused.
    assert!(ran > 200, "{ran} ran, {refused} were refused");
}
