//! A small evaluator of library functions, straight from AIR's semantics: one call, scalars and vectors,
//! the primitives that library functions use.

use half::{bf16, f16};
use mw_air::{
    BinaryOp, BlockId, Callee, CastOp, Constant, FloatPredicate, FuncId, Function, Inst, IntPredicate,
    Module, Scalar, Terminator, Type, ValueDef, ValueId,
};

/// A value: the bits of each lane.
pub type Value = Vec<u64>;

/// Calls functions of a linked module.
pub struct Evaluator<'m> {
    module: &'m Module,
    flush: bool,
    memory: Vec<u8>,
    /// Instructions executed, to bound loops and to count work.
    pub steps: usize,
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn signed(value: u64, bits: u32) -> i64 {
    ((value << (64 - bits)) as i64) >> (64 - bits)
}

impl<'m> Evaluator<'m> {
    pub fn new(module: &'m Module, flush: bool) -> Self {
        Self { module, flush, memory: vec![0xaa; 256], steps: 0 }
    }

    /// Calls a function by its name.
    pub fn call(&mut self, name: &str, args: &[Value]) -> Value {
        let id = self.module.function_named(name).unwrap_or_else(|| panic!("no function {name}"));
        self.run(id, args)
    }

    /// Memory that pointers, byte offsets, lead to.
    pub fn memory(&self) -> &[u8] {
        &self.memory
    }

    fn run(&mut self, id: FuncId, args: &[Value]) -> Value {
        let function = self.module.function(id);
        if function.is_declaration() {
            return self.primitive(function, args);
        }
        let mut values: Vec<Option<Value>> = vec![None; function.values().len()];
        for (index, arg) in args.iter().enumerate() {
            values[index] = Some(arg.clone());
        }
        let (mut previous, mut block) = (None, Function::ENTRY);
        loop {
            let mut phis = Vec::new();
            for inst in &function.block(block).insts {
                let data = function.inst(*inst);
                if let Inst::Phi { incoming, .. } = &data.inst {
                    let from = incoming.iter().find(|(from, _)| Some(*from) == previous).expect("incoming");
                    phis.push((data.result, read(function, &values, from.1)));
                }
            }
            for (result, value) in phis {
                values[result.expect("value").index()] = Some(value);
            }
            for inst in &function.block(block).insts {
                self.steps += 1;
                assert!(self.steps < 1_000_000, "{} does not end", function.name);
                let data = function.inst(*inst);
                if matches!(data.inst, Inst::Phi { .. }) {
                    continue;
                }
                let ty = data.result.map_or(Type::Void, |value| function.value_type(value).clone());
                let value = self.execute(function, &values, &data.inst, &ty);
                if let Some(result) = data.result {
                    values[result.index()] = Some(value);
                }
            }
            let next: BlockId = match &function.block(block).terminator {
                Terminator::Ret(value) => {
                    return value.map_or_else(Vec::new, |value| read(function, &values, value));
                }
                Terminator::Br(target) => *target,
                Terminator::CondBr { condition, on_true, on_false } => {
                    if read(function, &values, *condition)[0] == 1 { *on_true } else { *on_false }
                }
                other => panic!("{other:?}"),
            };
            (previous, block) = (Some(block), next);
        }
    }

    fn execute(&mut self, function: &Function, values: &[Option<Value>], inst: &Inst, ty: &Type) -> Value {
        let get = |value: ValueId| read(function, values, value);
        let scalar = |value: ValueId| function.value_type(value).scalar().expect("scalar");
        match inst {
            Inst::Binary { op, lhs, rhs, flags } => {
                assert_eq!(flags.0, 0, "library functions promise nothing");
                let of = scalar(*lhs);
                get(*lhs).into_iter().zip(get(*rhs)).map(|(a, b)| self.binary(*op, of, a, b)).collect()
            }
            Inst::FNeg { value, .. } => {
                let top = 1 << (scalar(*value).bits() - 1);
                get(*value).into_iter().map(|bits| bits ^ top).collect()
            }
            Inst::Cast { op, value, .. } => {
                let (from, to) = (scalar(*value), ty.scalar().expect("scalar"));
                get(*value).into_iter().map(|bits| self.cast(*op, from, to, bits)).collect()
            }
            Inst::ICmp { predicate, lhs, rhs, .. } => {
                let bits = scalar(*lhs).bits();
                let compare = |(a, b): (u64, u64)| {
                    let (x, y) = (signed(a, bits), signed(b, bits));
                    u64::from(match predicate {
                        IntPredicate::Eq => a == b,
                        IntPredicate::Ne => a != b,
                        IntPredicate::Ugt => a > b,
                        IntPredicate::Uge => a >= b,
                        IntPredicate::Ult => a < b,
                        IntPredicate::Ule => a <= b,
                        IntPredicate::Sgt => x > y,
                        IntPredicate::Sge => x >= y,
                        IntPredicate::Slt => x < y,
                        IntPredicate::Sle => x <= y,
                    })
                };
                get(*lhs).into_iter().zip(get(*rhs)).map(compare).collect()
            }
            Inst::FCmp { predicate, lhs, rhs, .. } => {
                let of = scalar(*lhs);
                let compare = |(a, b): (u64, u64)| {
                    let (x, y) = (self.number(of, a), self.number(of, b));
                    let (unordered, ordering) = (x.is_nan() || y.is_nan(), x.partial_cmp(&y));
                    let (less, equal, greater) = (
                        ordering == Some(std::cmp::Ordering::Less),
                        ordering == Some(std::cmp::Ordering::Equal),
                        ordering == Some(std::cmp::Ordering::Greater),
                    );
                    u64::from(match predicate {
                        FloatPredicate::False => false,
                        FloatPredicate::Oeq => equal,
                        FloatPredicate::Ogt => greater,
                        FloatPredicate::Oge => greater || equal,
                        FloatPredicate::Olt => less,
                        FloatPredicate::Ole => less || equal,
                        FloatPredicate::One => less || greater,
                        FloatPredicate::Ord => !unordered,
                        FloatPredicate::Uno => unordered,
                        FloatPredicate::Ueq => unordered || equal,
                        FloatPredicate::Ugt => unordered || greater,
                        FloatPredicate::Uge => unordered || greater || equal,
                        FloatPredicate::Ult => unordered || less,
                        FloatPredicate::Ule => unordered || less || equal,
                        FloatPredicate::Une => unordered || less || greater,
                        FloatPredicate::True => true,
                    })
                };
                get(*lhs).into_iter().zip(get(*rhs)).map(compare).collect()
            }
            Inst::Select { condition, on_true, on_false, .. } => {
                if get(*condition)[0] == 1 {
                    get(*on_true)
                } else {
                    get(*on_false)
                }
            }
            Inst::ExtractElement { vector, index } => vec![get(*vector)[get(*index)[0] as usize]],
            Inst::InsertElement { vector, element, index } => {
                let mut result = get(*vector);
                result[get(*index)[0] as usize] = get(*element)[0];
                result
            }
            Inst::Alloca { .. } => {
                let address = self.memory.len() as u64;
                self.memory.resize(self.memory.len() + 16, 0xaa);
                vec![address]
            }
            Inst::Load { ptr, .. } => {
                let (start, size) = (get(*ptr)[0] as usize, ty.scalar().expect("scalar").bits() as usize / 8);
                let mut bytes = [0; 8];
                bytes[..size].copy_from_slice(&self.memory[start..start + size]);
                vec![u64::from_le_bytes(bytes)]
            }
            Inst::Store { ptr, value, .. } => {
                let (start, size) = (get(*ptr)[0] as usize, scalar(*value).bits() as usize / 8);
                let bytes = get(*value)[0].to_le_bytes();
                self.memory[start..start + size].copy_from_slice(&bytes[..size]);
                Vec::new()
            }
            Inst::Gep { source, base, indices, .. } => {
                let size = u64::from(source.scalar().expect("scalar").bits() / 8);
                vec![get(*base)[0] + size * get(indices[0])[0]]
            }
            Inst::Call(call) => {
                let Callee::Function(callee) = call.callee else { panic!("indirect call") };
                let args: Vec<Value> = call.args.iter().map(|arg| get(*arg)).collect();
                self.run(callee, &args)
            }
            other => panic!("{other:?}"),
        }
    }

    /// A float operand, in double: widened, and flushed if it is an f32 denormal.
    fn number(&self, scalar: Scalar, bits: u64) -> f64 {
        match scalar {
            Scalar::Double => f64::from_bits(bits),
            Scalar::Float => f64::from(self.flushed(f32::from_bits(bits as u32))),
            Scalar::Half => f16::from_bits(bits as u16).to_f64(),
            Scalar::BFloat => f64::from(self.flushed(bf16::from_bits(bits as u16).to_f32())),
            _ => panic!("{scalar} is no float"),
        }
    }

    fn flushed(&self, value: f32) -> f32 {
        if self.flush && value.is_subnormal() { 0f32.copysign(value) } else { value }
    }

    fn binary(&self, op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> u64 {
        let bits = scalar.bits();
        let (x, y) = (signed(a, bits), signed(b, bits));
        let count = b % u64::from(bits);
        let result = match op {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::UDiv => a.checked_div(b).unwrap_or(0),
            BinaryOp::URem => a.checked_rem(b).unwrap_or(a),
            BinaryOp::SDiv => {
                if y == 0 {
                    0
                } else {
                    x.wrapping_div(y) as u64
                }
            }
            BinaryOp::SRem => {
                if y == 0 {
                    a
                } else {
                    x.wrapping_rem(y) as u64
                }
            }
            BinaryOp::Shl => a << count,
            BinaryOp::LShr => a >> count,
            BinaryOp::AShr => (x >> count) as u64,
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            _ => match scalar {
                Scalar::Float => {
                    let (x, y) =
                        (self.flushed(f32::from_bits(a as u32)), self.flushed(f32::from_bits(b as u32)));
                    let result = match op {
                        BinaryOp::FAdd => x + y,
                        BinaryOp::FSub => x - y,
                        BinaryOp::FMul => x * y,
                        BinaryOp::FDiv => x / y,
                        other => panic!("{other:?}"),
                    };
                    u64::from(self.flushed(result).to_bits())
                }
                Scalar::Double => {
                    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
                    let result = match op {
                        BinaryOp::FAdd => x + y,
                        BinaryOp::FSub => x - y,
                        BinaryOp::FMul => x * y,
                        BinaryOp::FDiv => x / y,
                        other => panic!("{other:?}"),
                    };
                    double(result)
                }
                other => panic!("library functions do not compute in {other}"),
            },
        };
        result & mask(bits)
    }

    fn cast(&self, op: CastOp, from: Scalar, to: Scalar, bits: u64) -> u64 {
        match op {
            CastOp::Trunc => bits & mask(to.bits()),
            CastOp::ZExt | CastOp::Bitcast => bits,
            CastOp::SExt => signed(bits, from.bits()) as u64 & mask(to.bits()),
            CastOp::FpExt | CastOp::FpTrunc => match (from, to) {
                (Scalar::Float, Scalar::BFloat) => {
                    u64::from(bf16::from_f32(f32::from_bits(bits as u32)).to_bits())
                }
                (Scalar::BFloat, Scalar::Float) => bits << 16,
                (_, Scalar::Double) => double(self.number(from, bits)),
                (_, Scalar::Float) => u64::from(self.flushed(self.number(from, bits) as f32).to_bits()),
                (Scalar::Float, Scalar::Half) => u64::from(f16::from_f64(self.number(from, bits)).to_bits()),
                other => panic!("{other:?}"),
            },
            CastOp::SiToFp | CastOp::UiToFp => {
                let wide = signed(bits, from.bits());
                match (op, to) {
                    (CastOp::SiToFp, Scalar::Float) => u64::from((wide as f32).to_bits()),
                    (CastOp::SiToFp, Scalar::Double) => double(wide as f64),
                    (_, Scalar::Float) => u64::from((bits as f32).to_bits()),
                    (_, Scalar::Double) => double(bits as f64),
                    other => panic!("{other:?}"),
                }
            }
            CastOp::FpToSi => self.number(from, bits) as i64 as u64 & mask(to.bits()),
            other => panic!("{other:?}"),
        }
    }

    fn primitive(&self, function: &Function, args: &[Value]) -> Value {
        let name = function.name.strip_prefix("llvm.").expect("only LLVM's primitives are used");
        let (base, _) = name.split_once(['.']).expect("suffix");
        let base =
            if name.contains(".sat.") { name.split_at(name.find(".sat.").unwrap() + 4).0 } else { base };
        let of = function.ty.params[0].scalar().expect("scalar");
        let to = function.ty.ret.scalar().expect("scalar");
        (0..args[0].len())
            .map(|lane| {
                let args: Vec<u64> = args.iter().map(|arg| arg[lane.min(arg.len() - 1)]).collect();
                if of.is_float() {
                    self.float_primitive(base, of, to, &args)
                } else {
                    int_primitive(base, of.bits(), &args)
                }
            })
            .collect()
    }

    fn float_primitive(&self, base: &str, of: Scalar, to: Scalar, args: &[u64]) -> u64 {
        let top = 1u64 << (of.bits() - 1);
        match base {
            "fabs" => return args[0] & !top,
            "copysign" => return (args[0] & !top) | (args[1] & top),
            "fptosi.sat" => {
                let limit = 2f64.powi(to.bits() as i32 - 1);
                let value = self.number(of, args[0]).trunc();
                let largest = (mask(to.bits()) >> 1) as i64;
                let result = if value >= limit {
                    largest
                } else if value < -limit {
                    -largest - 1
                } else {
                    value as i64
                };
                return result as u64 & mask(to.bits());
            }
            "fptoui.sat" => {
                let limit = 2f64.powi(to.bits() as i32);
                let value = self.number(of, args[0]);
                return if value >= limit { mask(to.bits()) } else { value as u64 };
            }
            _ => {}
        }
        let x: Vec<f64> = args.iter().map(|bits| self.number(of, *bits)).collect();
        let round = |value: f32| u64::from(self.flushed(value).to_bits());
        match (base, of) {
            ("fma", Scalar::Float) => round((x[0] as f32).mul_add(x[1] as f32, x[2] as f32)),
            ("fma", Scalar::Double) => double(x[0].mul_add(x[1], x[2])),
            ("fma", Scalar::Half) => u64::from(f16::from_f64(x[0].mul_add(x[1], x[2])).to_bits()),
            ("fma", Scalar::BFloat) => {
                let wide = self.flushed((x[0] as f32).mul_add(x[1] as f32, x[2] as f32));
                u64::from(bf16::from_f32(wide).to_bits())
            }
            ("sqrt", Scalar::Float) => round((x[0] as f32).sqrt()),
            ("sqrt", Scalar::Double) => double(x[0].sqrt()),
            (_, Scalar::Float | Scalar::Double) => {
                let result = match base {
                    "floor" => x[0].floor(),
                    "ceil" => x[0].ceil(),
                    "trunc" => x[0].trunc(),
                    "roundeven" => x[0].round_ties_even(),
                    other => panic!("{other}"),
                };
                if of == Scalar::Float { round(result as f32) } else { double(result) }
            }
            other => panic!("{other:?}"),
        }
    }
}

fn double(value: f64) -> u64 {
    assert!(!value.is_subnormal(), "library functions keep off double's denormals");
    value.to_bits()
}

fn int_primitive(base: &str, bits: u32, args: &[u64]) -> u64 {
    let (x, y) = (signed(args[0], bits), args.get(1).map_or(0, |y| signed(*y, bits)));
    let wide = |value: i128, low: i128, high: i128| value.clamp(low, high) as u64;
    let (low, high) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let top = (1i128 << bits) - 1;
    let result = match base {
        "smin" => x.min(y) as u64,
        "smax" => x.max(y) as u64,
        "umin" => args[0].min(args[1]),
        "umax" => args[0].max(args[1]),
        "sadd.sat" => wide(i128::from(x) + i128::from(y), low, high),
        "ssub.sat" => wide(i128::from(x) - i128::from(y), low, high),
        "uadd.sat" => wide(i128::from(args[0]) + i128::from(args[1]), 0, top),
        "usub.sat" => wide(i128::from(args[0]) - i128::from(args[1]), 0, top),
        "ctpop" => u64::from(args[0].count_ones()),
        "ctlz" => u64::from(args[0].leading_zeros() - (64 - bits)),
        "cttz" => u64::from(args[0].trailing_zeros().min(bits)),
        "bitreverse" => args[0].reverse_bits() >> (64 - bits),
        "fshl" => {
            let count = (args[2] % u64::from(bits)) as u32;
            if count == 0 { args[0] } else { (args[0] << count) | (args[1] >> (bits - count)) }
        }
        other => panic!("{other}"),
    };
    result & mask(bits)
}

fn read(function: &Function, values: &[Option<Value>], value: ValueId) -> Value {
    match &function.value(value).def {
        ValueDef::Const(constant) => constant_bits(constant, function.value_type(value)),
        _ => values[value.index()].clone().expect("defined before its use"),
    }
}

fn constant_bits(constant: &Constant, ty: &Type) -> Value {
    let lanes = ty.lanes().expect("scalar or vector") as usize;
    match constant {
        Constant::Int(bits) | Constant::Float(bits) => vec![*bits],
        Constant::Zero | Constant::Poison | Constant::Undef => vec![0; lanes],
        Constant::Aggregate(elements) => {
            elements.iter().flat_map(|element| constant_bits(&element.value, &element.ty)).collect()
        }
        other => panic!("{other:?}"),
    }
}
