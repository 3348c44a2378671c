//! What globals hold after a module's constructors have run, as far as it can be known without a launch.
//!
//! Constructors of AIR modules compute constants from function constants: loads and stores of globals, casts,
//! comparisons, selections, seldom a branch or a call. This analysis executes them one instruction after
//! another. What it does not model gives *unknown*, which spreads through whatever uses it: a known result
//! is always right.
//!
//! **Requires** function constants are set ([`crate::specialize`]).
//! **Cost** O(instructions executed), bounded.
//! **Not done** floating-point arithmetic (comparisons of `float` are), vectors of pointers.

use mw_air::{
    BinaryOp, BlockId, Callee, CastOp, Constant, ConstantExpr, FloatPredicate, FuncId, Function, GlobalId,
    Inst, IntPredicate, Layout, Module, Scalar, Terminator, Type, TypedConstant, ValueId,
};
use rustc_hash::FxHashMap;

/// Instructions that all constructors together may execute.
const STEP_LIMIT: usize = 1_000_000;

/// Calls in calls.
const DEPTH_LIMIT: usize = 32;

/// Objects larger than this are not modelled.
const OBJECT_LIMIT_BYTES: u64 = 1 << 20;

/// Memory after the constructors have run.
#[derive(Clone, Debug, Default)]
pub struct StaticInit {
    objects: FxHashMap<Object, Vec<Option<u8>>>,
    allocas: u32,
    steps: usize,
    /// Why not everything could be executed.
    gave_up: Option<String>,
}

/// Something with an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Object {
    Global(GlobalId),
    Alloca(u32),
}

/// A value; what is not modelled is `Unknown`.
#[derive(Clone, PartialEq, Debug)]
enum Value {
    /// Scalar by its bits.
    Bits(u64),
    Pointer(Object, u64),
    /// Elements of a vector, array or structure.
    List(Vec<Value>),
    Unknown,
}

impl StaticInit {
    /// Runs the constructors of a module, in order of priority.
    pub fn run(module: &Module) -> Self {
        let mut state = Self::default();
        for constructor in constructors(module) {
            if state.call(module, constructor, Vec::new(), 0).is_none() {
                let name = &module.function(constructor).name;
                state.gave_up.get_or_insert_with(|| format!("constructor `{name}` could not be executed"));
            }
        }
        state
    }

    /// The bits of a scalar global, or the reason why they are not known.
    pub fn global_bits(&self, module: &Module, global: GlobalId) -> Result<u64, String> {
        let ty = &module.global(global).ty;
        let value = match self.objects.get(&Object::Global(global)) {
            Some(bytes) => read(bytes, ty, 0),
            None => initial(module, global).map_or(Value::Unknown, |bytes| read(&bytes, ty, 0)),
        };
        match (value, &self.gave_up) {
            (_, Some(reason)) => Err(reason.clone()),
            (Value::Bits(bits), None) => Ok(bits),
            _ => {
                Err(format!("`{}` depends on an operation that is not modelled", module.global(global).name))
            }
        }
    }

    /// Executes a function; `None` when it could not be followed to its end.
    fn call(&mut self, module: &Module, id: FuncId, args: Vec<Value>, depth: usize) -> Option<Value> {
        let function = module.function(id);
        if function.is_declaration() || depth > DEPTH_LIMIT {
            return None;
        }
        let mut frame = Frame { function, args, values: FxHashMap::default() };
        let (mut previous, mut block) = (None, Function::ENTRY);
        loop {
            frame.phis(block, previous);
            for inst in &function.block(block).insts {
                let data = function.inst(*inst);
                if matches!(data.inst, Inst::Phi { .. }) {
                    continue;
                }
                self.steps += 1;
                if self.steps > STEP_LIMIT {
                    return None;
                }
                let ty = data.result.map(|result| function.value_type(result).clone());
                let value = self.execute(module, &frame, &data.inst, ty.as_ref(), depth)?;
                if let Some(result) = data.result {
                    frame.values.insert(result, value);
                }
            }
            let next = match &function.block(block).terminator {
                Terminator::Ret(value) => {
                    return Some(value.map_or(Value::Unknown, |value| frame.value(value)));
                }
                Terminator::Br(target) => *target,
                Terminator::CondBr { condition, on_true, on_false } => {
                    let bits = frame.value(*condition).bits()?;
                    if bits & 1 == 1 { *on_true } else { *on_false }
                }
                Terminator::Switch { value, default, cases } => {
                    let bits = frame.value(*value).bits()?;
                    cases.iter().find(|(case, _)| *case == bits).map_or(*default, |(_, target)| *target)
                }
                Terminator::Unreachable => return None,
            };
            self.steps += 1;
            if self.steps > STEP_LIMIT {
                return None;
            }
            (previous, block) = (Some(block), next);
        }
    }

    /// One instruction; `None` when execution cannot go on.
    fn execute(
        &mut self,
        module: &Module,
        frame: &Frame<'_>,
        inst: &Inst,
        ty: Option<&Type>,
        depth: usize,
    ) -> Option<Value> {
        let function = frame.function;
        let get = |value: &ValueId| frame.value(*value);
        Some(match inst {
            Inst::Binary { op, lhs, rhs, .. } => {
                let bits = ty.and_then(Type::scalar).filter(|scalar| scalar.is_int()).map(Scalar::bits);
                let (lhs, rhs) = (get(lhs), get(rhs));
                bits.map_or(Value::Unknown, |bits| each(&[lhs, rhs], |v| binary(*op, v[0], v[1], bits)))
            }
            Inst::Cast { op, value, .. } => {
                let from = function.value_type(*value).clone();
                cast(*op, get(value), &from, ty?)
            }
            Inst::ICmp { predicate, lhs, rhs, .. } => {
                let bits = function.value_type(*lhs).scalar()?.bits();
                let (lhs, rhs) = (get(lhs), get(rhs));
                each(&[lhs, rhs], |v| Some(u64::from(icmp(*predicate, v[0], v[1], bits))))
            }
            Inst::FCmp { predicate, lhs, rhs, .. } => {
                let is_float = function.value_type(*lhs).scalar() == Some(Scalar::Float);
                let (lhs, rhs) = (get(lhs), get(rhs));
                let compare = |v: &[u64]| {
                    let [a, b] = [v[0], v[1]].map(|bits| f32::from_bits(bits as u32));
                    is_float.then(|| u64::from(fcmp(*predicate, a, b)))
                };
                each(&[lhs, rhs], compare)
            }
            Inst::Select { condition, on_true, on_false, .. } => match get(condition) {
                Value::Bits(bits) if bits & 1 == 1 => get(on_true),
                Value::Bits(_) => get(on_false),
                Value::List(conditions) => {
                    let (Value::List(a), Value::List(b)) = (get(on_true), get(on_false)) else {
                        return Some(Value::Unknown);
                    };
                    let pick = |((condition, a), b): ((&Value, Value), Value)| match condition {
                        Value::Bits(bits) if bits & 1 == 1 => a,
                        Value::Bits(_) => b,
                        _ => Value::Unknown,
                    };
                    Value::List(conditions.iter().zip(a).zip(b).map(pick).collect())
                }
                _ => Value::Unknown,
            },
            Inst::Freeze { value } => get(value),
            Inst::ExtractElement { vector, index } => {
                let index = get(index).bits();
                get(vector).element(index)
            }
            Inst::InsertElement { vector, element, index } => {
                let (vector, element, index) = (get(vector), get(element), get(index).bits());
                let lanes = ty?.lanes()? as usize;
                vector.with_element(index, element, lanes)
            }
            Inst::ShuffleVector { first, second, mask } => {
                let lanes = function.value_type(*first).lanes()?;
                let (first, second) = (get(first), get(second));
                let lane = |position: &i32| match u64::try_from(*position) {
                    Ok(position) if position < u64::from(lanes) => first.element(Some(position)),
                    Ok(position) => second.element(Some(position - u64::from(lanes))),
                    Err(_) => Value::Unknown,
                };
                Value::List(mask.iter().map(lane).collect())
            }
            Inst::ExtractValue { aggregate, indices } => {
                let start = get(aggregate);
                indices.iter().fold(start, |value, index| value.element(Some(u64::from(*index))))
            }
            Inst::InsertValue { aggregate, element, indices } => {
                let (aggregate, element) = (get(aggregate), get(element));
                match (&**indices, ty) {
                    ([index], Some(Type::Struct(structure))) => {
                        aggregate.with_element(Some(u64::from(*index)), element, structure.fields.len())
                    }
                    _ => Value::Unknown,
                }
            }
            Inst::Alloca { ty, count: None, .. } => {
                let size = Layout::alloc_size(ty);
                if size > OBJECT_LIMIT_BYTES {
                    return None;
                }
                let object = Object::Alloca(self.allocas);
                self.allocas += 1;
                self.objects.insert(object, vec![None; size as usize]);
                Value::Pointer(object, 0)
            }
            Inst::Alloca { count: Some(_), .. } => return None,
            Inst::Load { ptr, .. } => {
                let pointer = get(ptr);
                self.load(module, &pointer, ty?)
            }
            Inst::Store { ptr, value, .. } => {
                let (pointer, value) = (get(ptr), get(value));
                self.store(module, &pointer, function.value_type(*value_id(inst)), &value)?;
                Value::Unknown
            }
            Inst::Gep { source, base, indices, .. } => {
                let base = get(base);
                let indices: Option<Vec<i64>> = indices
                    .iter()
                    .map(|index| {
                        let width = function.value_type(*index).scalar()?.bits();
                        Some(sign_extend(get(index).bits()?, width))
                    })
                    .collect();
                match (base, indices.and_then(|indices| gep_offset(source, &indices))) {
                    (Value::Pointer(object, offset), Some(delta)) => {
                        Value::Pointer(object, offset.wrapping_add_signed(delta))
                    }
                    _ => Value::Unknown,
                }
            }
            Inst::Call(call) => {
                let args: Vec<Value> = call.args.iter().map(get).collect();
                match call.callee {
                    Callee::Function(callee) if !module.function(callee).is_declaration() => {
                        self.call(module, callee, args, depth + 1)?
                    }
                    // Lifetime markers and the like change nothing; others that write memory could, and are
                    // told by their pointer arguments.
                    Callee::Function(callee)
                        if module.function(callee).name.starts_with("llvm.lifetime")
                            || module.function(callee).name.starts_with("llvm.assume")
                            || !args.iter().any(|arg| matches!(arg, Value::Pointer(..))) =>
                    {
                        Value::Unknown
                    }
                    Callee::Function(_) | Callee::Value(_) => return None,
                }
            }
            Inst::FNeg { .. } => Value::Unknown,
            Inst::Fence { .. } => Value::Unknown,
            Inst::AtomicRmw { .. } | Inst::CmpXchg { .. } => return None,
            Inst::Phi { .. } => Value::Unknown,
        })
    }

    fn bytes(&mut self, module: &Module, object: Object) -> Option<&mut Vec<Option<u8>>> {
        if let Object::Global(global) = object
            && !self.objects.contains_key(&object)
        {
            self.objects.insert(object, initial(module, global)?);
        }
        self.objects.get_mut(&object)
    }

    fn load(&mut self, module: &Module, pointer: &Value, ty: &Type) -> Value {
        let Value::Pointer(object, offset) = *pointer else { return Value::Unknown };
        self.bytes(module, object).map_or(Value::Unknown, |bytes| read(bytes, ty, offset))
    }

    fn store(&mut self, module: &Module, pointer: &Value, ty: &Type, value: &Value) -> Option<()> {
        // A store to an unknown place could change anything.
        let Value::Pointer(object, offset) = *pointer else { return None };
        write(self.bytes(module, object)?, ty, offset, value)
    }
}

/// The stored value of a store.
fn value_id(inst: &Inst) -> &ValueId {
    match inst {
        Inst::Store { value, .. } => value,
        _ => unreachable!("asked only for stores"),
    }
}

/// A call in progress.
struct Frame<'m> {
    function: &'m Function,
    args: Vec<Value>,
    values: FxHashMap<ValueId, Value>,
}

impl Frame<'_> {
    fn value(&self, value: ValueId) -> Value {
        if let Some(constant) = self.function.constant(value) {
            return constant_value(self.function.value_type(value), constant);
        }
        if let Some(value) = self.values.get(&value) {
            return value.clone();
        }
        self.args.get(value.index()).cloned().unwrap_or(Value::Unknown)
    }

    fn phis(&mut self, block: BlockId, previous: Option<BlockId>) {
        let function = self.function;
        let mut results = Vec::new();
        for inst in &function.block(block).insts {
            let data = function.inst(*inst);
            let Inst::Phi { incoming, .. } = &data.inst else { break };
            let chosen = incoming.iter().find(|(from, _)| Some(*from) == previous);
            let value = chosen.map_or(Value::Unknown, |(_, value)| self.value(*value));
            results.extend(data.result.map(|result| (result, value)));
        }
        self.values.extend(results);
    }
}

impl Value {
    fn bits(&self) -> Option<u64> {
        match self {
            Self::Bits(bits) => Some(*bits),
            Self::Pointer(..) | Self::List(_) | Self::Unknown => None,
        }
    }

    fn element(&self, index: Option<u64>) -> Self {
        match (self, index) {
            (Self::List(values), Some(index)) => values.get(index as usize).cloned().unwrap_or(Self::Unknown),
            _ => Self::Unknown,
        }
    }

    fn with_element(self, index: Option<u64>, element: Self, count: usize) -> Self {
        let mut values = match self {
            Self::List(values) => values,
            _ => vec![Self::Unknown; count],
        };
        match index.and_then(|index| values.get_mut(index as usize)) {
            Some(slot) => *slot = element,
            None => return Self::Unknown,
        }
        Self::List(values)
    }
}

/// Applies an operation on bits to scalars, or to vectors element by element.
fn each(operands: &[Value], operation: impl Fn(&[u64]) -> Option<u64>) -> Value {
    if let Some(Value::List(first)) = operands.first() {
        let lane = |index: usize| {
            let lane: Vec<Value> = operands.iter().map(|it| it.element(Some(index as u64))).collect();
            scalar(&lane, &operation)
        };
        return Value::List((0..first.len()).map(lane).collect());
    }
    scalar(operands, &operation)
}

fn scalar(operands: &[Value], operation: &impl Fn(&[u64]) -> Option<u64>) -> Value {
    let bits: Option<Vec<u64>> = operands.iter().map(Value::bits).collect();
    bits.and_then(|bits| operation(&bits)).map_or(Value::Unknown, Value::Bits)
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn sign_extend(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    (value << shift).cast_signed() >> shift
}

fn binary(op: BinaryOp, lhs: u64, rhs: u64, bits: u32) -> Option<u64> {
    let (signed_lhs, signed_rhs) = (sign_extend(lhs, bits), sign_extend(rhs, bits));
    let count = (rhs % u64::from(bits)) as u32;
    let result = match op {
        BinaryOp::Add => lhs.wrapping_add(rhs),
        BinaryOp::Sub => lhs.wrapping_sub(rhs),
        BinaryOp::Mul => lhs.wrapping_mul(rhs),
        // Division by zero: quotient 0, remainder the dividend, as both engines define it.
        BinaryOp::UDiv => lhs.checked_div(rhs).unwrap_or(0),
        BinaryOp::SDiv if rhs == 0 => 0,
        BinaryOp::SDiv => signed_lhs.wrapping_div(signed_rhs).cast_unsigned(),
        BinaryOp::URem => lhs.checked_rem(rhs).unwrap_or(lhs),
        BinaryOp::SRem if rhs == 0 => lhs,
        BinaryOp::SRem => signed_lhs.wrapping_rem(signed_rhs).cast_unsigned(),
        BinaryOp::Shl => lhs << count,
        BinaryOp::LShr => lhs >> count,
        BinaryOp::AShr => (signed_lhs >> count).cast_unsigned(),
        BinaryOp::And => lhs & rhs,
        BinaryOp::Or => lhs | rhs,
        BinaryOp::Xor => lhs ^ rhs,
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => return None,
    };
    Some(result & mask(bits))
}

fn icmp(predicate: IntPredicate, lhs: u64, rhs: u64, bits: u32) -> bool {
    let signed = (sign_extend(lhs, bits), sign_extend(rhs, bits));
    match predicate {
        IntPredicate::Eq => lhs == rhs,
        IntPredicate::Ne => lhs != rhs,
        IntPredicate::Ugt => lhs > rhs,
        IntPredicate::Uge => lhs >= rhs,
        IntPredicate::Ult => lhs < rhs,
        IntPredicate::Ule => lhs <= rhs,
        IntPredicate::Sgt => signed.0 > signed.1,
        IntPredicate::Sge => signed.0 >= signed.1,
        IntPredicate::Slt => signed.0 < signed.1,
        IntPredicate::Sle => signed.0 <= signed.1,
    }
}

fn fcmp(predicate: FloatPredicate, lhs: f32, rhs: f32) -> bool {
    let unordered = lhs.is_nan() || rhs.is_nan();
    match predicate {
        FloatPredicate::False => false,
        FloatPredicate::Oeq => lhs == rhs,
        FloatPredicate::Ogt => lhs > rhs,
        FloatPredicate::Oge => lhs >= rhs,
        FloatPredicate::Olt => lhs < rhs,
        FloatPredicate::Ole => lhs <= rhs,
        FloatPredicate::One => !unordered && lhs != rhs,
        FloatPredicate::Ord => !unordered,
        FloatPredicate::Uno => unordered,
        FloatPredicate::Ueq => unordered || lhs == rhs,
        FloatPredicate::Ugt => unordered || lhs > rhs,
        FloatPredicate::Uge => unordered || lhs >= rhs,
        FloatPredicate::Ult => unordered || lhs < rhs,
        FloatPredicate::Ule => unordered || lhs <= rhs,
        FloatPredicate::Une => unordered || lhs != rhs,
        FloatPredicate::True => true,
    }
}

fn cast(op: CastOp, value: Value, from: &Type, to: &Type) -> Value {
    let (Some(from_scalar), Some(to_scalar)) = (from.scalar(), to.scalar()) else { return Value::Unknown };
    let (from_bits, to_bits) = (from_scalar.bits(), to_scalar.bits());
    match op {
        CastOp::Trunc | CastOp::ZExt => each(&[value], |v| Some(v[0] & mask(to_bits))),
        CastOp::SExt => {
            each(&[value], |v| Some(sign_extend(v[0], from_bits).cast_unsigned() & mask(to_bits)))
        }
        CastOp::Bitcast if from.lanes() == to.lanes() => value,
        CastOp::AddrSpaceCast => value,
        CastOp::Bitcast
        | CastOp::FpTrunc
        | CastOp::FpExt
        | CastOp::FpToUi
        | CastOp::FpToSi
        | CastOp::UiToFp
        | CastOp::SiToFp
        | CastOp::PtrToInt
        | CastOp::IntToPtr => Value::Unknown,
    }
}

fn constant_value(ty: &Type, constant: &Constant) -> Value {
    match constant {
        Constant::Int(bits) | Constant::Float(bits) => Value::Bits(*bits),
        Constant::Zero => zero(ty),
        Constant::Undef | Constant::Poison => Value::Unknown,
        Constant::Aggregate(elements) => {
            Value::List(elements.iter().map(|it| constant_value(&it.ty, &it.value)).collect())
        }
        Constant::Global(global) => Value::Pointer(Object::Global(*global), 0),
        Constant::Function(_) => Value::Unknown,
        Constant::Expr(expr) => match &**expr {
            ConstantExpr::Cast { op, value } => {
                cast(*op, constant_value(&value.ty, &value.value), &value.ty, ty)
            }
            ConstantExpr::Gep { source, base, indices, .. } => {
                let indices: Option<Vec<i64>> = indices
                    .iter()
                    .map(|index| Some(sign_extend(index.as_int()?, index.ty.scalar()?.bits())))
                    .collect();
                let base = constant_value(&base.ty, &base.value);
                match (base, indices.and_then(|indices| gep_offset(source, &indices))) {
                    (Value::Pointer(object, offset), Some(delta)) => {
                        Value::Pointer(object, offset.wrapping_add_signed(delta))
                    }
                    _ => Value::Unknown,
                }
            }
            ConstantExpr::Binary { .. } => Value::Unknown,
        },
    }
}

fn zero(ty: &Type) -> Value {
    match ty {
        Type::Scalar(Scalar::Ptr(_)) | Type::Void | Type::Metadata => Value::Unknown,
        Type::Scalar(_) => Value::Bits(0),
        Type::Vector(_, lanes) => Value::List(vec![Value::Bits(0); *lanes as usize]),
        Type::Array(element, count) if Layout::alloc_size(ty) <= OBJECT_LIMIT_BYTES => {
            Value::List(vec![zero(element); *count as usize])
        }
        Type::Array(..) => Value::Unknown,
        Type::Struct(structure) => Value::List(structure.fields.iter().map(zero).collect()),
    }
}

/// Byte distance that the indices of an address computation walk.
fn gep_offset(source: &Type, indices: &[i64]) -> Option<i64> {
    let (first, rest) = indices.split_first()?;
    let mut offset = first.checked_mul(Layout::alloc_size(source).try_into().ok()?)?;
    let mut ty = source.clone();
    for index in rest {
        let step = match &ty {
            Type::Struct(structure) => {
                let field = usize::try_from(*index).ok()?;
                Layout::field_offset(structure, field).try_into().ok()?
            }
            Type::Array(element, _) => index.checked_mul(Layout::alloc_size(element).try_into().ok()?)?,
            Type::Vector(scalar, _) => {
                index.checked_mul(Layout::alloc_size(&Type::Scalar(*scalar)).try_into().ok()?)?
            }
            Type::Void | Type::Scalar(_) | Type::Metadata => return None,
        };
        offset = offset.checked_add(step)?;
        ty = match &ty {
            Type::Array(element, _) => (**element).clone(),
            other => other.element(u64::try_from(*index).ok()?)?,
        };
    }
    Some(offset)
}

/// The bytes of a global before any constructor has run.
fn initial(module: &Module, global: GlobalId) -> Option<Vec<Option<u8>>> {
    let global = module.global(global);
    let size = Layout::alloc_size(&global.ty);
    if size > OBJECT_LIMIT_BYTES {
        return None;
    }
    let mut bytes = vec![None; size as usize];
    if let Some(TypedConstant { ty, value }) = &global.initializer {
        write(&mut bytes, ty, 0, &constant_value(ty, value))?;
    }
    Some(bytes)
}

/// Reads a value; bytes that are unknown or outside make it unknown.
fn read(bytes: &[Option<u8>], ty: &Type, offset: u64) -> Value {
    match ty {
        Type::Scalar(Scalar::Ptr(_)) | Type::Void | Type::Metadata => Value::Unknown,
        Type::Scalar(scalar) => {
            let size = Layout::store_size(ty);
            let known = (0..size).rev().try_fold(0_u64, |bits, index| {
                let byte = bytes.get(usize::try_from(offset.checked_add(index)?).ok()?)?;
                Some(bits << 8 | u64::from((*byte)?))
            });
            known.map_or(Value::Unknown, |bits| Value::Bits(bits & mask(scalar.bits())))
        }
        Type::Vector(..) | Type::Array(..) | Type::Struct(_) => {
            let parts = parts(ty).map(|(place, part)| read(bytes, &part, offset.wrapping_add(place)));
            Value::List(parts.collect())
        }
    }
}

/// Writes a value; `None` when it lies outside.
fn write(bytes: &mut [Option<u8>], ty: &Type, offset: u64, value: &Value) -> Option<()> {
    match (ty, value) {
        (Type::Vector(..) | Type::Array(..) | Type::Struct(_), Value::List(values)) => {
            for ((place, part), value) in parts(ty).zip(values) {
                write(bytes, &part, offset.checked_add(place)?, value)?;
            }
        }
        _ => {
            for index in 0..Layout::store_size(ty) {
                let slot = bytes.get_mut(usize::try_from(offset.checked_add(index)?).ok()?)?;
                *slot = value.bits().map(|bits| (bits >> (8 * index.min(7))) as u8);
            }
        }
    }
    Some(())
}

/// Elements of a vector or aggregate with their byte offsets.
fn parts(ty: &Type) -> impl Iterator<Item = (u64, Type)> + '_ {
    let count = match ty {
        Type::Vector(_, lanes) => u64::from(*lanes),
        Type::Array(_, count) => *count,
        Type::Struct(structure) => structure.fields.len() as u64,
        Type::Void | Type::Scalar(_) | Type::Metadata => 0,
    };
    (0..count).filter_map(move |index| {
        let part = ty.element(index)?;
        let place = match ty {
            Type::Struct(structure) => Layout::field_offset(structure, index as usize),
            _ => index * Layout::alloc_size(&part),
        };
        Some((place, part))
    })
}

/// The constructors in the order in which they run.
fn constructors(module: &Module) -> Vec<FuncId> {
    let listed = module.global_named("llvm.global_ctors").map(|global| module.global(global));
    let Some(Constant::Aggregate(entries)) =
        listed.and_then(|global| global.initializer.as_ref()).map(|constant| &constant.value)
    else {
        return Vec::new();
    };
    let mut found: Vec<(u64, FuncId)> = Vec::new();
    for entry in entries.iter() {
        if let Constant::Aggregate(fields) = &entry.value
            && let [priority, function, ..] = &**fields
            && let Some(function) = function_of(&function.value)
        {
            found.push((priority.as_int().unwrap_or(u64::MAX), function));
        }
    }
    found.sort_by_key(|(priority, _)| *priority);
    found.into_iter().map(|(_, function)| function).collect()
}

fn function_of(constant: &Constant) -> Option<FuncId> {
    match constant {
        Constant::Function(function) => Some(*function),
        Constant::Expr(expr) => match &**expr {
            ConstantExpr::Cast { value, .. } => function_of(&value.value),
            ConstantExpr::Gep { .. } | ConstantExpr::Binary { .. } => None,
        },
        _ => None,
    }
}
