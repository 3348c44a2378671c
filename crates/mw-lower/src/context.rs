//! What every part of lowering writes with: one function under construction, and short names for the
//! instructions that it is made of.
//!
//! Methods append at the current block and give the result. Types follow from operands; whoever calls
//! answers for their agreement, and the verifier checks it.

use mw_air::{
    Attribute, Attributes, BinaryOp, BlockId, Call, Callee, CastOp, Constant, Flags, FloatPredicate, FuncId,
    Function, FunctionType, Inst, IntPredicate, LocationId, Scalar, SubprogramId, Terminator, Type,
    TypedConstant, ValueId,
};
use mw_msl::ast::MathMode;
use mw_msl::hir;
use mw_msl::types::{self, TypeId};
use mw_source::Span;

use crate::error::LowerError;
use crate::module::ModuleLowering;

/// One function under construction.
pub(crate) struct FunctionLowering<'a, 'p> {
    /// The module around it.
    pub(crate) module: &'a mut ModuleLowering<'p>,
    pub(crate) function: Function,
    pub(crate) block: BlockId,
    /// Private variables stand at the head of the entry block; this many are there.
    pub(crate) allocas: usize,
    /// The current block has its terminator: what follows is never executed.
    pub(crate) is_terminated: bool,
    /// How deep expressions nest here.
    pub(crate) depth: usize,
    /// What is being lowered, by depth: entries beyond it are of the past.
    pub(crate) spans: Vec<Span>,
    /// The function of the source, if positions are kept.
    pub(crate) subprogram: Option<SubprogramId>,
    /// The locals as the program declares them.
    pub(crate) source_locals: &'p [hir::Local],
    /// Where the locals live, by number.
    pub(crate) locals: Vec<Option<crate::place::Local>>,
    /// Which locals need an address.
    pub(crate) needs_memory: Vec<bool>,
    /// Where a result of record type goes.
    pub(crate) result: Option<ValueId>,
    /// Targets of `break` and `continue`, innermost last.
    pub(crate) jumps: Vec<crate::stmt::Jump>,
}

/// Fast-math flags that a mode gives to arithmetic.
pub(crate) fn flags(mode: MathMode) -> Flags {
    match mode {
        MathMode::Safe => Flags::NONE,
        MathMode::Relaxed => Flags::FAST.without(Flags::NNAN).without(Flags::NINF),
        MathMode::Fast => Flags::FAST,
    }
}

impl<'a, 'p> FunctionLowering<'a, 'p> {
    pub(crate) fn new(
        module: &'a mut ModuleLowering<'p>,
        mut function: Function,
        source_locals: &'p [hir::Local],
        needs_memory: Vec<bool>,
    ) -> Self {
        let block = function.add_block();
        Self {
            module,
            function,
            block,
            allocas: 0,
            is_terminated: false,
            depth: 0,
            spans: Vec::new(),
            subprogram: None,
            source_locals,
            locals: vec![None; source_locals.len()],
            needs_memory,
            result: None,
            jumps: Vec::new(),
        }
    }

    /// The program being lowered.
    pub(crate) fn program(&self) -> &'p hir::Program {
        self.module.program
    }

    /// AIR version of the module, such as (2, 6): some functions changed their signatures.
    pub(crate) fn air_version(&self) -> (u32, u32) {
        self.module.options.air_version()
    }

    /// The shape of a type of the program.
    pub(crate) fn shape(&self, id: TypeId) -> &'p types::Type {
        self.module.program.ty(id)
    }

    /// The element of a scalar, vector, packed vector, matrix, simdgroup matrix, atomic or enumeration.
    pub(crate) fn element(&self, id: TypeId) -> Option<types::Scalar> {
        match self.shape(id) {
            types::Type::Scalar(scalar)
            | types::Type::Atomic(scalar)
            | types::Type::Vector(scalar, _)
            | types::Type::PackedVector(scalar, _)
            | types::Type::Matrix { element: scalar, .. }
            | types::Type::SimdgroupMatrix { element: scalar, .. } => Some(*scalar),
            types::Type::Enum(id) => Some(self.program().enumeration(*id).underlying),
            _ => None,
        }
    }

    /// What a pointer or reference points to.
    pub(crate) fn pointee(&self, id: TypeId) -> Option<types::QualType> {
        match self.shape(id) {
            types::Type::Pointer(target) | types::Type::Reference { target, .. } => Some(*target),
            _ => None,
        }
    }

    /// Type of the values of a type of the program.
    pub(crate) fn value_type(&self, id: TypeId, span: Span) -> Result<Type, LowerError> {
        crate::types::value_type(self.module.program, id)
            .ok_or_else(|| LowerError::malformed(span, "a type without values where a value is needed"))
    }

    /// Type of the objects of a type of the program.
    pub(crate) fn memory_type(&mut self, id: TypeId, span: Span) -> Result<Type, LowerError> {
        self.module.memory_type(id, span)
    }

    /// Whether a local needs an address.
    pub(crate) fn in_memory(&self, local: hir::LocalId) -> bool {
        self.needs_memory.get(local.0 as usize).copied().unwrap_or(true)
    }

    /// Type of a value.
    pub(crate) fn ty(&self, value: ValueId) -> Type {
        self.function.value_type(value).clone()
    }

    /// Appends any instruction; gives its result unless `ty` is void.
    pub(crate) fn push(&mut self, inst: Inst, ty: Type) -> Option<ValueId> {
        let location = self.location();
        let id = self.function.make_inst(inst, ty);
        self.function.block_mut(self.block).insts.push(id);
        let data = self.function.inst_mut(id);
        data.location = location;
        data.result
    }

    fn push_value(&mut self, inst: Inst, ty: Type) -> ValueId {
        debug_assert!(ty != Type::Void);
        self.push(inst, ty).unwrap_or(ValueId(0))
    }

    /// Where the instruction that comes next stands in the source.
    fn location(&mut self) -> Option<LocationId> {
        let scope = self.subprogram?;
        let span = *self.spans.get(self.depth.checked_sub(1)?)?;
        Some(self.module.debug.as_mut()?.location(scope, span))
    }

    // Constants

    /// An integer (or `i1`); a vector type gives a splat. Bits beyond the width are dropped.
    pub(crate) fn int(&mut self, ty: &Type, value: u64) -> ValueId {
        let scalar = ty.scalar().unwrap_or(Scalar::Int(32));
        let bits = scalar.bits();
        let value = if bits < 64 { value & ((1 << bits) - 1) } else { value };
        self.splat_constant(ty, TypedConstant::int(Type::Scalar(scalar), value))
    }

    /// `i32` constant.
    pub(crate) fn i32(&mut self, value: u32) -> ValueId {
        self.int(&Type::I32, u64::from(value))
    }

    /// `i64` constant.
    pub(crate) fn i64(&mut self, value: u64) -> ValueId {
        self.int(&Type::I64, value)
    }

    /// `i1` constant.
    pub(crate) fn bool(&mut self, value: bool) -> ValueId {
        self.int(&Type::I1, u64::from(value))
    }

    /// A floating-point number, rounded to the format of `ty`; a vector type gives a splat.
    pub(crate) fn float(&mut self, ty: &Type, value: f64) -> ValueId {
        let scalar = ty.scalar().unwrap_or(Scalar::Float);
        let bits = crate::constant::float_bits(scalar, value);
        self.splat_constant(ty, TypedConstant { ty: Type::Scalar(scalar), value: Constant::Float(bits) })
    }

    /// Zero of any type.
    pub(crate) fn zero(&mut self, ty: &Type) -> ValueId {
        self.function.add_constant(TypedConstant::zero(ty.clone()))
    }

    /// Any constant.
    pub(crate) fn constant(&mut self, constant: TypedConstant) -> ValueId {
        self.function.add_constant(constant)
    }

    /// A value that is not defined.
    pub(crate) fn undef(&mut self, ty: &Type) -> ValueId {
        self.function.add_constant(TypedConstant { ty: ty.clone(), value: Constant::Undef })
    }

    /// A value that nobody looks at.
    pub(crate) fn poison(&mut self, ty: &Type) -> ValueId {
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

    // Arithmetic

    /// `lhs op rhs`, no flags.
    pub(crate) fn binary(&mut self, op: BinaryOp, lhs: ValueId, rhs: ValueId) -> ValueId {
        self.binary_flags(op, lhs, rhs, Flags::NONE)
    }

    /// `lhs op rhs` with flags; those that the instruction cannot have are dropped.
    pub(crate) fn binary_flags(&mut self, op: BinaryOp, lhs: ValueId, rhs: ValueId, flags: Flags) -> ValueId {
        let ty = self.ty(lhs);
        let flags = Flags(flags.0 & op.allowed_flags().0);
        self.push_value(Inst::Binary { op, lhs, rhs, flags }, ty)
    }

    /// Sign flip of floating-point numbers.
    pub(crate) fn fneg(&mut self, value: ValueId, flags: Flags) -> ValueId {
        let ty = self.ty(value);
        self.push_value(Inst::FNeg { value, flags }, ty)
    }

    /// LLVM conversion to `ty`.
    pub(crate) fn cast(&mut self, op: CastOp, value: ValueId, ty: &Type) -> ValueId {
        if self.function.value_type(value) == ty && op == CastOp::Bitcast {
            return value;
        }
        self.push_value(Inst::Cast { op, value, flags: Flags::NONE }, ty.clone())
    }

    /// Same bits as another type; nothing if it is the type already.
    pub(crate) fn bitcast(&mut self, value: ValueId, ty: &Type) -> ValueId {
        self.cast(CastOp::Bitcast, value, ty)
    }

    /// Integer comparison.
    pub(crate) fn icmp(&mut self, predicate: IntPredicate, lhs: ValueId, rhs: ValueId) -> ValueId {
        let ty = self.ty(lhs).with_scalar(Scalar::Int(1));
        self.push_value(Inst::ICmp { predicate, lhs, rhs, flags: Flags::NONE }, ty)
    }

    /// Floating-point comparison.
    pub(crate) fn fcmp(
        &mut self,
        predicate: FloatPredicate,
        lhs: ValueId,
        rhs: ValueId,
        flags: Flags,
    ) -> ValueId {
        let ty = self.ty(lhs).with_scalar(Scalar::Int(1));
        self.push_value(Inst::FCmp { predicate, lhs, rhs, flags }, ty)
    }

    /// `condition ? on_true : on_false`, for scalars and element by element.
    pub(crate) fn select(&mut self, condition: ValueId, on_true: ValueId, on_false: ValueId) -> ValueId {
        let ty = self.ty(on_true);
        self.push_value(Inst::Select { condition, on_true, on_false, flags: Flags::NONE }, ty)
    }

    // Vectors and aggregates

    /// Element `index` of a vector.
    pub(crate) fn extract(&mut self, vector: ValueId, index: u32) -> ValueId {
        let index = self.i32(index);
        self.extract_at(vector, index)
    }

    /// Element of a vector, by a computed index.
    pub(crate) fn extract_at(&mut self, vector: ValueId, index: ValueId) -> ValueId {
        let ty = Type::Scalar(self.ty(vector).scalar().unwrap_or(Scalar::Int(32)));
        self.push_value(Inst::ExtractElement { vector, index }, ty)
    }

    /// The vector with element `index` replaced.
    pub(crate) fn insert(&mut self, vector: ValueId, element: ValueId, index: u32) -> ValueId {
        let index = self.i32(index);
        self.insert_at(vector, element, index)
    }

    /// The vector with one element replaced, by a computed index.
    pub(crate) fn insert_at(&mut self, vector: ValueId, element: ValueId, index: ValueId) -> ValueId {
        let ty = self.ty(vector);
        self.push_value(Inst::InsertElement { vector, element, index }, ty)
    }

    /// Elements of two vectors of one type by number (those of the second start behind the first's); −1 is
    /// any value.
    pub(crate) fn shuffle(&mut self, first: ValueId, second: ValueId, mask: Vec<i32>) -> ValueId {
        let scalar = self.ty(first).scalar().unwrap_or(Scalar::Int(32));
        let ty = Type::Vector(scalar, mask.len() as u32);
        self.push_value(Inst::ShuffleVector { first, second, mask }, ty)
    }

    /// A vector of `lanes` copies.
    pub(crate) fn splat(&mut self, value: ValueId, lanes: u32) -> ValueId {
        if let Some(constant) = self.function.typed_constant(value)
            && !matches!(constant.value, Constant::Undef | Constant::Poison)
        {
            let ty = Type::Vector(constant.ty.scalar().unwrap_or(Scalar::Int(32)), lanes);
            return self.splat_constant(&ty, constant);
        }
        let ty = Type::Vector(self.ty(value).scalar().unwrap_or(Scalar::Int(32)), lanes);
        let poison = self.poison(&ty);
        let single = self.insert(poison, value, 0);
        self.shuffle(single, poison, vec![0; lanes as usize])
    }

    /// A vector of these elements.
    pub(crate) fn vector(&mut self, elements: &[ValueId]) -> ValueId {
        let scalar = elements.first().and_then(|first| self.ty(*first).scalar()).unwrap_or(Scalar::Int(32));
        let mut vector = self.poison(&Type::Vector(scalar, elements.len() as u32));
        for (index, element) in elements.iter().enumerate() {
            vector = self.insert(vector, *element, index as u32);
        }
        vector
    }

    /// Member of an array or structure value: a column of a matrix.
    pub(crate) fn extract_value(&mut self, aggregate: ValueId, index: u32) -> ValueId {
        let ty = self.ty(aggregate).element(u64::from(index)).unwrap_or(Type::I32);
        self.push_value(Inst::ExtractValue { aggregate, indices: vec![index] }, ty)
    }

    /// An array or structure value with one member replaced.
    pub(crate) fn insert_value(&mut self, aggregate: ValueId, element: ValueId, index: u32) -> ValueId {
        let ty = self.ty(aggregate);
        self.push_value(Inst::InsertValue { aggregate, element, indices: vec![index] }, ty)
    }

    /// A matrix of these columns.
    pub(crate) fn columns(&mut self, columns: &[ValueId]) -> ValueId {
        let column = columns.first().map_or(Type::I32, |first| self.ty(*first));
        let mut matrix = self.poison(&Type::array(column, columns.len() as u64));
        for (index, column) in columns.iter().enumerate() {
            matrix = self.insert_value(matrix, *column, index as u32);
        }
        matrix
    }

    // Memory

    /// A private variable, in the entry block. Alignment 0 is the type's own.
    pub(crate) fn alloca(&mut self, ty: &Type, align: u32) -> ValueId {
        let space = mw_air::AddressSpace::THREAD;
        let align = if align == 0 { mw_air::Layout::align(ty) } else { align };
        let id = self
            .function
            .make_inst(Inst::Alloca { ty: ty.clone(), count: None, align, space }, Type::ptr(space));
        let location = self.location();
        self.function.inst_mut(id).location = location;
        self.function.block_mut(Function::ENTRY).insts.insert(self.allocas, id);
        self.allocas += 1;
        self.function.inst(id).result.unwrap_or(ValueId(0))
    }

    /// Reads a value of AIR's memory type `ty`. For types of the program see `load_object`.
    pub(crate) fn load(&mut self, ty: &Type, ptr: ValueId, align: u32) -> ValueId {
        self.push_value(Inst::Load { ptr, align, volatile: false, ordering: None }, ty.clone())
    }

    /// Writes a value as it is. For types of the program see `store_object`.
    pub(crate) fn store(&mut self, ptr: ValueId, value: ValueId, align: u32) {
        self.push(Inst::Store { ptr, value, align, volatile: false, ordering: None }, Type::Void);
    }

    /// Address arithmetic.
    pub(crate) fn gep(&mut self, source: &Type, base: ValueId, indices: Vec<ValueId>) -> ValueId {
        let ty = self.ty(base);
        self.push_value(Inst::Gep { source: source.clone(), base, indices, flags: Flags::NONE }, ty)
    }

    // Calls

    /// Calls a function outside the module by its AIR name, declaring it; gives the result unless `ret` is
    /// void. What is known of the name (convergence, memory) becomes attributes.
    pub(crate) fn call_external(&mut self, name: &str, ret: &Type, args: &[ValueId]) -> Option<ValueId> {
        self.call_external_flags(name, ret, args, Flags::NONE)
    }

    /// The same with fast-math flags on the call.
    pub(crate) fn call_external_flags(
        &mut self,
        name: &str,
        ret: &Type,
        args: &[ValueId],
        flags: Flags,
    ) -> Option<ValueId> {
        let params = args.iter().map(|arg| self.ty(*arg)).collect();
        let ty = FunctionType { ret: ret.clone(), params, varargs: false };
        let callee = self.module.declare(name, &ty);
        self.call_function(callee, ty, args.to_vec(), flags)
    }

    /// The same for a function that gives a value.
    pub(crate) fn call_value(&mut self, name: &str, ret: &Type, args: &[ValueId]) -> ValueId {
        self.call_external(name, ret, args).unwrap_or(ValueId(0))
    }

    /// Calls a function of the module.
    pub(crate) fn call_function(
        &mut self,
        callee: FuncId,
        ty: FunctionType,
        args: Vec<ValueId>,
        flags: Flags,
    ) -> Option<ValueId> {
        let ret = ty.ret.clone();
        let flags = if ret.is_float() { flags } else { Flags::NONE };
        let attrs = self.module.call_attributes(callee);
        self.push(
            Inst::Call(Box::new(Call {
                callee: Callee::Function(callee),
                ty,
                args,
                attrs,
                ret_attrs: Attributes::default(),
                arg_attrs: Vec::new(),
                calling_convention: 0,
                tail: 0,
                flags,
            })),
            ret,
        )
    }

    /// Calls through a pointer; convergent, since nobody knows what is called.
    pub(crate) fn call_pointer(
        &mut self,
        callee: ValueId,
        ty: FunctionType,
        args: Vec<ValueId>,
    ) -> Option<ValueId> {
        let ret = ty.ret.clone();
        self.push(
            Inst::Call(Box::new(Call {
                callee: Callee::Value(callee),
                ty,
                args,
                attrs: Attributes(vec![
                    Attribute::Enum("convergent".into()),
                    Attribute::Enum("nounwind".into()),
                ]),
                ret_attrs: Attributes::default(),
                arg_attrs: Vec::new(),
                calling_convention: 0,
                tail: 0,
                flags: Flags::NONE,
            })),
            ret,
        )
    }

    // Control flow

    /// A new, empty block; nothing goes there yet.
    pub(crate) fn add_block(&mut self) -> BlockId {
        self.function.add_block()
    }

    /// Goes on at the end of `block`.
    pub(crate) fn switch_to(&mut self, block: BlockId) {
        self.block = block;
        self.is_terminated = false;
    }

    /// Ends the block, unless it has ended.
    pub(crate) fn terminate(&mut self, terminator: Terminator) {
        if !self.is_terminated {
            let location = self.location();
            let block = self.function.block_mut(self.block);
            (block.terminator, block.location) = (terminator, location);
            self.is_terminated = true;
        }
    }

    /// Ends the block with a jump.
    pub(crate) fn br(&mut self, target: BlockId) {
        self.terminate(Terminator::Br(target));
    }

    /// Ends the block with a two-way branch.
    pub(crate) fn cond_br(&mut self, condition: ValueId, on_true: BlockId, on_false: BlockId) {
        self.terminate(Terminator::CondBr { condition, on_true, on_false });
    }

    /// φ-function; must be called right after `switch_to` an empty block.
    pub(crate) fn phi(&mut self, ty: &Type, incoming: Vec<(BlockId, ValueId)>) -> ValueId {
        self.push_value(Inst::Phi { incoming, flags: Flags::NONE }, ty.clone())
    }
}
