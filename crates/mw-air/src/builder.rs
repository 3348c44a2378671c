//! Building functions instruction by instruction.
//!
//! Each method appends at the builder's block and gives the result. Operand types are the caller's duty
//! and are checked by the verifier; the builder only derives result types from them.

use crate::{
    AddressSpace, AtomicOrdering, Attributes, BinaryOp, BlockId, Call, Callee, CastOp, Constant, Flags,
    FloatPredicate, FuncId, Function, FunctionType, Inst, IntPredicate, Scalar, Terminator, Type,
    TypedConstant, ValueId,
};

/// Appends instructions to one block of a function.
#[derive(Debug)]
pub struct Builder<'f> {
    /// The function being built.
    pub function: &'f mut Function,
    block: BlockId,
}

impl<'f> Builder<'f> {
    /// A builder at the end of `block`.
    pub fn at(function: &'f mut Function, block: BlockId) -> Self {
        Self { function, block }
    }

    /// The block that is being appended to.
    pub fn block(&self) -> BlockId {
        self.block
    }

    /// Moves to the end of another block.
    pub fn switch_to(&mut self, block: BlockId) {
        self.block = block;
    }

    /// Adds an empty block.
    pub fn add_block(&mut self) -> BlockId {
        self.function.add_block()
    }

    /// Type of a value.
    pub fn ty(&self, value: ValueId) -> Type {
        self.function.value_type(value).clone()
    }

    /// Appends any instruction with a result of type `ty`.
    pub fn push(&mut self, inst: Inst, ty: Type) -> ValueId {
        self.function.push_inst(self.block, inst, ty).expect("instruction has a result")
    }

    /// Appends an instruction without result.
    pub fn push_void(&mut self, inst: Inst) {
        self.function.push_inst(self.block, inst, Type::Void);
    }

    /// Integer constant; a vector type gives a splat.
    pub fn int(&mut self, ty: &Type, value: u64) -> ValueId {
        let scalar = Type::Scalar(ty.scalar().expect("integer type"));
        self.splat_constant(ty, TypedConstant::int(scalar, value))
    }

    /// Float constant in the format of `ty`, rounded from `value`; a vector type gives a splat.
    /// `half` and `bfloat` must be exact.
    pub fn float(&mut self, ty: &Type, value: f64) -> ValueId {
        let scalar = ty.scalar().expect("float type");
        let bits = match scalar {
            Scalar::Float => u64::from((value as f32).to_bits()),
            Scalar::Double => value.to_bits(),
            Scalar::BFloat => u64::from((value as f32).to_bits() >> 16),
            Scalar::Half => u64::from(exact_half_bits(value)),
            Scalar::Int(_) | Scalar::Ptr(_) => unreachable!("float constant of type {ty}"),
        };
        self.float_bits(ty, bits)
    }

    /// Float constant by its bits; a vector type gives a splat.
    pub fn float_bits(&mut self, ty: &Type, bits: u64) -> ValueId {
        let scalar = Type::Scalar(ty.scalar().expect("float type"));
        self.splat_constant(ty, TypedConstant { ty: scalar, value: Constant::Float(bits) })
    }

    /// Zero of any type.
    pub fn zero(&mut self, ty: &Type) -> ValueId {
        self.function.add_constant(TypedConstant::zero(ty.clone()))
    }

    /// Poison of any type.
    pub fn poison(&mut self, ty: &Type) -> ValueId {
        self.function.add_constant(TypedConstant { ty: ty.clone(), value: Constant::Poison })
    }

    fn splat_constant(&mut self, ty: &Type, element: TypedConstant) -> ValueId {
        let constant = match ty {
            Type::Vector(_, lanes) => TypedConstant {
                ty: ty.clone(),
                value: Constant::Aggregate(vec![element; *lanes as usize].into()),
            },
            _ => element,
        };
        self.function.add_constant(constant)
    }

    /// `lhs op rhs`.
    pub fn binary(&mut self, op: BinaryOp, lhs: ValueId, rhs: ValueId) -> ValueId {
        self.binary_flags(op, lhs, rhs, Flags::NONE)
    }

    /// `lhs op rhs` with flags.
    pub fn binary_flags(&mut self, op: BinaryOp, lhs: ValueId, rhs: ValueId, flags: Flags) -> ValueId {
        let ty = self.ty(lhs);
        self.push(Inst::Binary { op, lhs, rhs, flags }, ty)
    }

    /// Sign flip.
    pub fn fneg(&mut self, value: ValueId) -> ValueId {
        let ty = self.ty(value);
        self.push(Inst::FNeg { value, flags: Flags::NONE }, ty)
    }

    /// Conversion to `ty`.
    pub fn cast(&mut self, op: CastOp, value: ValueId, ty: &Type) -> ValueId {
        self.push(Inst::Cast { op, value, flags: Flags::NONE }, ty.clone())
    }

    /// Integer comparison.
    pub fn icmp(&mut self, predicate: IntPredicate, lhs: ValueId, rhs: ValueId) -> ValueId {
        let ty = self.ty(lhs).with_scalar(Scalar::Int(1));
        self.push(Inst::ICmp { predicate, lhs, rhs, flags: Flags::NONE }, ty)
    }

    /// Floating-point comparison.
    pub fn fcmp(&mut self, predicate: FloatPredicate, lhs: ValueId, rhs: ValueId) -> ValueId {
        let ty = self.ty(lhs).with_scalar(Scalar::Int(1));
        self.push(Inst::FCmp { predicate, lhs, rhs, flags: Flags::NONE }, ty)
    }

    /// `condition ? on_true : on_false`.
    pub fn select(&mut self, condition: ValueId, on_true: ValueId, on_false: ValueId) -> ValueId {
        let ty = self.ty(on_true);
        self.push(Inst::Select { condition, on_true, on_false, flags: Flags::NONE }, ty)
    }

    /// φ-function.
    pub fn phi(&mut self, ty: &Type, incoming: Vec<(BlockId, ValueId)>) -> ValueId {
        self.push(Inst::Phi { incoming, flags: Flags::NONE }, ty.clone())
    }

    /// One element of a vector, by constant index.
    pub fn extract(&mut self, vector: ValueId, index: u32) -> ValueId {
        let ty = Type::Scalar(self.ty(vector).scalar().expect("vector"));
        let index = self.int(&Type::I32, u64::from(index));
        self.push(Inst::ExtractElement { vector, index }, ty)
    }

    /// The vector with one element replaced, by constant index.
    pub fn insert(&mut self, vector: ValueId, element: ValueId, index: u32) -> ValueId {
        let ty = self.ty(vector);
        let index = self.int(&Type::I32, u64::from(index));
        self.push(Inst::InsertElement { vector, element, index }, ty)
    }

    /// Elements of two vectors by position.
    pub fn shuffle(&mut self, first: ValueId, second: ValueId, mask: Vec<i32>) -> ValueId {
        let scalar = self.ty(first).scalar().expect("vector");
        let ty = Type::Vector(scalar, mask.len() as u32);
        self.push(Inst::ShuffleVector { first, second, mask }, ty)
    }

    /// A vector whose elements are all `value`.
    pub fn splat(&mut self, value: ValueId, lanes: u32) -> ValueId {
        let vector = Type::Vector(self.ty(value).scalar().expect("scalar"), lanes);
        let poison = self.poison(&vector);
        let single = self.insert(poison, value, 0);
        self.shuffle(single, poison, vec![0; lanes as usize])
    }

    /// Private memory.
    pub fn alloca(&mut self, ty: &Type, align: u32) -> ValueId {
        let space = AddressSpace::THREAD;
        self.push(Inst::Alloca { ty: ty.clone(), count: None, align, space }, Type::ptr(space))
    }

    /// Reads a `ty`.
    pub fn load(&mut self, ty: &Type, ptr: ValueId, align: u32) -> ValueId {
        self.push(Inst::Load { ptr, align, volatile: false, ordering: None }, ty.clone())
    }

    /// Writes `value`.
    pub fn store(&mut self, ptr: ValueId, value: ValueId, align: u32) {
        self.push_void(Inst::Store { ptr, value, align, volatile: false, ordering: None });
    }

    /// Address arithmetic; the result has the type of `base`, or is a vector of pointers when an index is
    /// a vector.
    pub fn gep(&mut self, source: &Type, base: ValueId, indices: Vec<ValueId>) -> ValueId {
        let mut ty = self.ty(base);
        if let Some(lanes) = indices.iter().find_map(|index| match self.function.value_type(*index) {
            Type::Vector(_, lanes) => Some(*lanes),
            _ => None,
        }) {
            ty = Type::Vector(ty.scalar().expect("pointer"), lanes);
        }
        self.push(Inst::Gep { source: source.clone(), base, indices, flags: Flags::NONE }, ty)
    }

    /// Calls a function of the module; gives `None` when it returns nothing.
    pub fn call(&mut self, callee: FuncId, ty: &FunctionType, args: Vec<ValueId>) -> Option<ValueId> {
        self.call_with(callee, ty, args, Vec::new())
    }

    /// Calls a function with attributes on its arguments.
    pub fn call_with(
        &mut self,
        callee: FuncId,
        ty: &FunctionType,
        args: Vec<ValueId>,
        arg_attrs: Vec<Attributes>,
    ) -> Option<ValueId> {
        let call = Call {
            callee: Callee::Function(callee),
            ty: ty.clone(),
            args,
            attrs: Attributes::default(),
            ret_attrs: Attributes::default(),
            arg_attrs,
            calling_convention: 0,
            tail: 0,
            flags: Flags::NONE,
        };
        self.function.push_inst(self.block, Inst::Call(Box::new(call)), ty.ret.clone())
    }

    /// LLVM fence.
    pub fn fence(&mut self, ordering: AtomicOrdering) {
        self.push_void(Inst::Fence { ordering });
    }

    /// Ends the block.
    pub fn terminate(&mut self, terminator: Terminator) {
        self.function.block_mut(self.block).terminator = terminator;
    }

    /// Ends the block with a jump.
    pub fn br(&mut self, target: BlockId) {
        self.terminate(Terminator::Br(target));
    }

    /// Ends the block with a two-way branch.
    pub fn cond_br(&mut self, condition: ValueId, on_true: BlockId, on_false: BlockId) {
        self.terminate(Terminator::CondBr { condition, on_true, on_false });
    }

    /// Ends the block with a return.
    pub fn ret(&mut self, value: Option<ValueId>) {
        self.terminate(Terminator::Ret(value));
    }
}

/// Bits of a half that `value` is equal to.
fn exact_half_bits(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return sign;
    }
    if magnitude.is_infinite() {
        return sign | 0x7c00;
    }
    let exponent = magnitude.log2().floor() as i32;
    let (biased, scale) = if exponent < -14 { (0, 24) } else { (exponent + 15, 10 - exponent) };
    let fraction = magnitude * f64::from(scale).exp2();
    debug_assert!(fraction.fract() == 0.0 && biased < 31, "{value} is not a half");
    sign | ((biased as u16) << 10) | (fraction as u16 & if biased == 0 { 0xffff } else { 0x3ff })
}
