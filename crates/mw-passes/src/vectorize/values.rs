//! The emitter's state: which wide value stands for which scalar one.

use mw_air::schema::KernelInfo;
use mw_air::{
    AddressSpace, Attribute, Attributes, BinaryOp, BlockId, Builder, CastOp, Constant, ConstantExpr, FuncId,
    Function, FunctionType, Global, GlobalId, Inst, Layout, Linkage, Module, Scalar, Type, TypedConstant,
    ValueDef, ValueId,
};
use rustc_hash::FxHashMap;

use super::Options;
use super::plan::Plan;
use super::private::PrivateMemory;
use crate::PassError;
use crate::abi::offset;
use crate::control::Control;
use crate::scalarize::is_matrix;
use crate::uniformity::{Shape, Uniformity};

/// Lanes of a simdgroup.
pub(super) const LANES: u32 = 32;

/// `ptr`.
pub(super) const PTR: Type = Type::Scalar(Scalar::Ptr(AddressSpace::THREAD));

/// `<32 x i1>`.
pub(super) const MASK: Type = Type::Vector(Scalar::Int(1), LANES);

/// What stands for a scalar value in the wide code.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wide {
    /// One scalar for all lanes, or a simdgroup matrix, row by row.
    Uniform(ValueId),
    /// Value of lane 0, of which the shape tells the other lanes; holds when `ok` does (`None`: always).
    Affine { base: ValueId, shape: Shape, ok: Option<ValueId> },
    /// `<32 x T>`.
    Varying(ValueId),
}

/// Where globals went.
#[derive(Debug, Default)]
pub(super) struct GlobalMemory {
    /// Offset in threadgroup memory.
    threadgroup: FxHashMap<GlobalId, u32>,
    /// Global of the wide module.
    constant: FxHashMap<GlobalId, GlobalId>,
    pub(super) threadgroup_bytes: u32,
    pub(super) threadgroup_image: Vec<(u32, Vec<u8>)>,
}

/// Lays threadgroup variables out and copies constant data into the wide module.
pub(super) fn place_globals(module: &Module, out: &mut Module) -> Result<GlobalMemory, PassError> {
    let mut memory = GlobalMemory::default();
    for id in module.global_ids() {
        let global = module.global(id);
        if global.space == AddressSpace::THREADGROUP {
            let align = global.align.max(Layout::align(&global.ty)).max(16);
            let offset = memory.threadgroup_bytes.next_multiple_of(align);
            let size = u32::try_from(Layout::alloc_size(&global.ty)).map_err(|_| {
                PassError::unsupported(format!("a threadgroup variable of type `{}`", global.ty))
            })?;
            memory.threadgroup.insert(id, offset);
            memory.threadgroup_bytes = offset
                .checked_add(size)
                .ok_or_else(|| PassError::unsupported("over 4 GiB of threadgroup memory".to_owned()))?;
            if let Some(initializer) = &global.initializer
                && !matches!(initializer.value, Constant::Undef | Constant::Poison)
            {
                let mut bytes = vec![0; size as usize];
                write_constant(&mut bytes, 0, initializer)?;
                memory.threadgroup_image.push((offset, bytes));
            }
            continue;
        }
        let Some(initializer) = &global.initializer else { continue };
        if global.linkage == Linkage::Appending || global.section.as_deref() == Some("llvm.metadata") {
            continue;
        }
        let mut bytes = vec![0; Layout::alloc_size(&global.ty) as usize];
        write_constant(&mut bytes, 0, initializer)?;
        let ty = Type::array(Type::I8, bytes.len() as u64);
        let elements: Vec<TypedConstant> =
            bytes.iter().map(|byte| TypedConstant::int(Type::I8, u64::from(*byte))).collect();
        let mut copy = Global::new(&format!("data.{}", id.0), ty.clone(), AddressSpace::THREAD);
        copy.initializer = Some(TypedConstant { ty, value: Constant::Aggregate(elements.into()) });
        copy.is_constant = true;
        copy.align = global.align.max(Layout::align(&global.ty)).max(16);
        memory.constant.insert(id, out.add_global(copy));
    }
    Ok(memory)
}

/// Writes a constant as memory holds it.
fn write_constant(bytes: &mut [u8], at: u64, constant: &TypedConstant) -> Result<(), PassError> {
    match (&constant.value, &constant.ty) {
        (Constant::Int(bits) | Constant::Float(bits), ty) => {
            let size = Layout::store_size(ty) as usize;
            bytes[at as usize..at as usize + size].copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        (Constant::Zero | Constant::Undef | Constant::Poison, _) => {}
        (Constant::Aggregate(elements), ty) => {
            for (index, element) in elements.iter().enumerate() {
                let offset = match ty {
                    Type::Struct(structure) => Layout::field_offset(structure, index),
                    Type::Vector(scalar, _) => index as u64 * u64::from(scalar.bits().div_ceil(8)),
                    _ => index as u64 * Layout::alloc_size(&element.ty),
                };
                write_constant(bytes, at + offset, element)?;
            }
        }
        (Constant::Global(_) | Constant::Function(_) | Constant::Expr(_), _) => {
            return Err(PassError::unsupported("an address in a global's initial value".to_owned()));
        }
    }
    Ok(())
}

/// What all functions of the wide module share.
pub(super) struct Shared<'m> {
    pub(super) module: &'m Module,
    pub(super) out: &'m mut Module,
    pub(super) memory: &'m GlobalMemory,
    pub(super) options: Options,
    declarations: FxHashMap<String, (FuncId, FunctionType)>,
    helpers: Vec<(FuncId, FuncId)>,
}

impl<'m> Shared<'m> {
    pub(super) fn new(
        module: &'m Module,
        out: &'m mut Module,
        memory: &'m GlobalMemory,
        options: Options,
    ) -> Self {
        Self { module, out, memory, options, declarations: FxHashMap::default(), helpers: Vec::new() }
    }

    /// Makes a shell for each function beside the kernel: those that inlining had to leave (recursion).
    /// Such a function takes the context, the mask, and wide arguments.
    pub(super) fn declare_helpers(&mut self, kernel: FuncId) -> Result<(), PassError> {
        for id in self.module.function_ids() {
            let function = self.module.function(id);
            if id == kernel || function.is_declaration() {
                continue;
            }
            let mut params = vec![PTR, MASK];
            for param in &function.ty.params {
                params.push(wide_type(param)?);
            }
            let ret = if function.ty.ret == Type::Void {
                Type::Void
            } else if function.ty.ret.is_aggregate() {
                return Err(PassError::unsupported(format!(
                    "recursion that returns several values (`{}`)",
                    function.name
                )));
            } else {
                wide_type(&function.ty.ret)?
            };
            let ty = FunctionType { ret, params, varargs: false };
            let mut shell = Function::new(&format!("helper.{}", id.0), ty);
            shell.linkage = Linkage::Internal;
            shell.attrs = Attributes(vec![Attribute::Enum("noinline".into())]);
            let wide = self.out.add_function(shell);
            self.helpers.push((id, wide));
        }
        Ok(())
    }

    pub(super) fn helpers(&self) -> Vec<(FuncId, FuncId)> {
        self.helpers.clone()
    }

    pub(super) fn helper(&self, id: FuncId) -> Option<FuncId> {
        self.helpers.iter().find(|(scalar, _)| *scalar == id).map(|(_, wide)| *wide)
    }

    /// A function outside the module, declared once.
    pub(super) fn external(&mut self, name: &str, ty: &FunctionType) -> FuncId {
        if let Some((id, known)) = self.declarations.get(name)
            && known == ty
        {
            return *id;
        }
        let id = self.out.add_function(Function::new(name, ty.clone()));
        self.declarations.insert(name.to_owned(), (id, ty.clone()));
        id
    }
}

/// The scalar that travels in the wide code: 16-bit floats as `i16`, private pointers as `i32` offsets,
/// other pointers in address space 0.
pub(super) fn lowered(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Half | Scalar::BFloat => Scalar::Int(16),
        Scalar::Ptr(AddressSpace::THREAD) => Scalar::Int(32),
        Scalar::Ptr(_) => Scalar::Ptr(AddressSpace::THREAD),
        Scalar::Int(_) | Scalar::Float | Scalar::Double => scalar,
    }
}

/// How LLVM names the overload of an intrinsic for a scalar or vector: `f32`, `v32i64`.
pub(super) fn overload(ty: &Type) -> String {
    match ty {
        Type::Vector(scalar, lanes) => format!("v{lanes}{}", scalar.suffix()),
        other => other.scalar().expect("scalar").suffix(),
    }
}

fn wide_type(ty: &Type) -> Result<Type, PassError> {
    match ty {
        Type::Scalar(scalar) => Ok(Type::Vector(lowered(*scalar), LANES)),
        _ => Err(PassError::unsupported(format!("a recursive function's argument of type `{ty}`"))),
    }
}

/// An emitted function.
pub(super) struct Body {
    pub(super) function: Function,
    pub(super) has_barriers: bool,
    pub(super) private_bytes: u64,
}

/// Emits one function.
pub(super) struct Emitter<'e, 'm> {
    pub(super) shared: &'e mut Shared<'m>,
    pub(super) source: &'m Function,
    pub(super) kernel: Option<&'e KernelInfo>,
    pub(super) control: Control,
    pub(super) uniformity: Uniformity,
    pub(super) plan: Plan,
    pub(super) function: Function,
    /// Block that is being appended to.
    pub(super) block: BlockId,
    /// Block that holds the stack slots.
    slots: BlockId,
    map: Vec<Option<Wide>>,
    /// Mask of each source block, once emitted.
    pub(super) masks: Vec<Option<ValueId>>,
    pub(super) context: ValueId,
    pub(super) has_barriers: bool,
    /// The simdgroups of a threadgroup meet at barriers.
    pub(super) meets_at_barriers: bool,
    pub(super) private: PrivateMemory,
    pub(super) state: super::flow::FlowState,
    pub(super) groups: super::groups::Groups,
    pub(super) tiles: super::tiles::Tiles,
    pub(super) bands: super::products::Bands,
    /// Stack slots for use at once, by size.
    scratch: FxHashMap<u64, ValueId>,
    /// `<0, 1, …, 31>` by element type, and other constants are interned by the function itself.
    threadgroup_base: Option<ValueId>,
}

impl<'e, 'm> Emitter<'e, 'm> {
    pub(super) fn new(
        shared: &'e mut Shared<'m>,
        scalar: FuncId,
        kernel: Option<&'e KernelInfo>,
        wide: FuncId,
    ) -> Result<Self, PassError> {
        let source = shared.module.function(scalar);
        let control = Control::new(source)?;
        let uniformity = Uniformity::new(shared.module, source, kernel, shared.options.shape, &control)?;
        let plan = Plan::new(source, &control, &uniformity.divergence);
        let mut function = shared.out.function(wide).clone();
        let slots = function.add_block();
        let block = function.add_block();
        let context = function.param(0);
        let private = PrivateMemory::new(source)?;
        let state = super::flow::FlowState::new(source, &control);
        let bands = super::products::Bands::new(shared.module, source, &control);
        let meets_at_barriers = source.blocks.iter().flat_map(|block| &block.insts).any(|id| {
            matches!(&source.inst(*id).inst, Inst::Call(call)
                if matches!(call.callee, mw_air::Callee::Function(callee)
                    if &*shared.module.function(callee).name == "air.wg.barrier"))
        });
        Ok(Self {
            map: vec![None; source.values().len()],
            masks: vec![None; source.blocks.len()],
            shared,
            source,
            kernel,
            control,
            uniformity,
            plan,
            function,
            block,
            slots,
            context,
            has_barriers: false,
            meets_at_barriers,
            private,
            state,
            groups: super::groups::Groups::default(),
            tiles: super::tiles::Tiles::default(),
            bands,
            scratch: FxHashMap::default(),
            threadgroup_base: None,
        })
    }

    pub(super) fn emit(mut self) -> Result<Body, PassError> {
        let start = self.block;
        self.map_params();
        self.emit_private_memory();
        let mask = self.start_mask();
        self.emit_flow(mask)?;
        let slots = self.slots;
        Builder::at(&mut self.function, slots).br(start);
        Ok(Body {
            function: self.function,
            has_barriers: self.has_barriers,
            private_bytes: u64::from(self.private.bytes_per_lane()) * u64::from(LANES),
        })
    }

    fn map_params(&mut self) {
        if self.kernel.is_none() {
            for index in 0..self.source.ty.params.len() {
                let value = self.function.param(index + 2);
                self.map[index] = Some(Wide::Varying(value));
            }
            return;
        }
        let arguments = self.function.param(1);
        for index in 0..self.source.ty.params.len() {
            if !self.source.ty.params[index].is_ptr() {
                // Built-ins come in by call.
                continue;
            }
            let mut b = self.b();
            let slot = b.int(&Type::I64, index as u64);
            let place = b.gep(&PTR, arguments, vec![slot]);
            let value = b.load(&PTR, place, 8);
            self.map[index] = Some(Wide::Uniform(value));
        }
    }

    /// Mask of the lanes that exist.
    fn start_mask(&mut self) -> ValueId {
        if self.kernel.is_none() {
            return self.function.param(1);
        }
        if self.shared.options.shape.full {
            return self.full_mask();
        }
        let count = self.context_u32(offset::LANE_COUNT);
        let iota = self.iota(Scalar::Int(32), 1);
        let mut b = self.b();
        let count = b.splat(count, LANES);
        b.icmp(mw_air::IntPredicate::Ult, iota, count)
    }

    /// A builder at the current block.
    pub(super) fn b(&mut self) -> Builder<'_> {
        Builder::at(&mut self.function, self.block)
    }

    /// A stack slot.
    pub(super) fn slot(&mut self, ty: &Type) -> ValueId {
        let align = Layout::align(ty).min(64);
        Builder::at(&mut self.function, self.slots).alloca(ty, align)
    }

    /// Bytes on the stack for what is written and read in one go: whoever asks next gets the same.
    pub(super) fn scratch(&mut self, bytes: u64) -> ValueId {
        if let Some(slot) = self.scratch.get(&bytes) {
            return *slot;
        }
        let ty = Type::array(Type::I8, bytes);
        let slot = Builder::at(&mut self.function, self.slots).alloca(&ty, 64);
        self.scratch.insert(bytes, slot);
        slot
    }

    /// Reads a slot.
    pub(super) fn read(&mut self, ty: &Type, slot: ValueId) -> ValueId {
        let align = Layout::align(ty).min(64);
        self.b().load(ty, slot, align)
    }

    /// Writes a slot.
    pub(super) fn write(&mut self, slot: ValueId, value: ValueId) {
        let align = Layout::align(self.function.value_type(value)).min(64);
        self.b().store(slot, value, align);
    }

    /// A `u32` of the context.
    pub(super) fn context_u32(&mut self, offset: u64) -> ValueId {
        let context = self.context;
        let mut b = self.b();
        let index = b.int(&Type::I64, offset);
        let place = b.gep(&Type::I8, context, vec![index]);
        b.load(&Type::I32, place, 4)
    }

    /// A pointer of the context.
    pub(super) fn context_ptr(&mut self, offset: u64) -> ValueId {
        let context = self.context;
        let mut b = self.b();
        let index = b.int(&Type::I64, offset);
        let place = b.gep(&Type::I8, context, vec![index]);
        b.load(&PTR, place, 8)
    }

    /// `<0, stride, 2·stride, …>`.
    pub(super) fn iota(&mut self, scalar: Scalar, stride: i64) -> ValueId {
        self.lane_constant(scalar, |lane| (i64::from(lane).wrapping_mul(stride)) as u64)
    }

    /// A constant integer vector by lane.
    pub(super) fn lane_constant(&mut self, scalar: Scalar, value: impl Fn(u32) -> u64) -> ValueId {
        let element = Type::Scalar(scalar);
        let elements: Vec<TypedConstant> =
            (0..LANES).map(|lane| TypedConstant::int(element.clone(), value(lane))).collect();
        let ty = Type::Vector(scalar, LANES);
        self.function.add_constant(TypedConstant { ty, value: Constant::Aggregate(elements.into()) })
    }

    /// Lowered scalar type of a source value (a matrix keeps 64 elements).
    pub(super) fn lowered_type(ty: &Type) -> Type {
        match ty {
            Type::Scalar(scalar) => Type::Scalar(lowered(*scalar)),
            Type::Vector(scalar, lanes) => Type::Vector(lowered(*scalar), *lanes),
            other => other.clone(),
        }
    }

    /// `<32 x T>` of a source value's type.
    pub(super) fn vector_type(ty: &Type) -> Type {
        Type::Vector(lowered(ty.scalar().expect("scalar value")), LANES)
    }

    /// Records what stands for `value`.
    pub(super) fn set(&mut self, value: ValueId, wide: Wide) {
        self.map[value.index()] = Some(wide);
    }

    /// Whether something stands for `value` already.
    pub(super) fn is_emitted(&self, value: ValueId) -> bool {
        self.map[value.index()].is_some()
    }

    /// What stands for `value`.
    pub(super) fn wide(&mut self, value: ValueId) -> Result<Wide, PassError> {
        if let Some(wide) = self.map[value.index()] {
            return Ok(wide);
        }
        match &self.source.value(value).def {
            ValueDef::Const(constant) => {
                let ty = self.source.value_type(value).clone();
                let lowered = self.constant(&ty, constant)?;
                if self.function.constant(lowered).is_some() {
                    self.map[value.index()] = Some(Wide::Uniform(lowered));
                }
                Ok(Wide::Uniform(lowered))
            }
            ValueDef::Param(_) | ValueDef::Inst(_) => {
                // Built-in parameters are read through calls; anything else here is unreachable code.
                Err(PassError::invalid(format!("value {} is used before it is defined", value.0)))
            }
        }
    }

    /// A uniform value: the scalar, or the matrix.
    pub(super) fn uniform(&mut self, value: ValueId) -> Result<ValueId, PassError> {
        match self.wide(value)? {
            Wide::Uniform(scalar) => Ok(scalar),
            Wide::Affine { base, .. } => Ok(base),
            Wide::Varying(_) => Err(PassError::invalid(format!("value {} differs between lanes", value.0))),
        }
    }

    /// All 32 lanes of a value.
    pub(super) fn vector(&mut self, value: ValueId) -> Result<ValueId, PassError> {
        match self.wide(value)? {
            Wide::Varying(vector) => Ok(vector),
            Wide::Uniform(scalar) => Ok(self.splat(scalar)),
            Wide::Affine { base, shape, ok: None } => Ok(self.spread(base, shape)),
            Wide::Affine { ok: Some(_), .. } => self.recompute(value),
        }
    }

    /// The scalar in every lane.
    pub(super) fn splat(&mut self, scalar: ValueId) -> ValueId {
        let ty = self.function.value_type(scalar).clone();
        if let Some(constant) = self.function.typed_constant(scalar)
            && let Type::Scalar(element) = ty
        {
            let vector = Type::Vector(element, LANES);
            let value = match constant.value {
                Constant::Zero | Constant::Undef | Constant::Poison => constant.value,
                Constant::Int(0) => Constant::Zero,
                Constant::Global(_) | Constant::Function(_) | Constant::Expr(_) => {
                    return self.b().splat(scalar, LANES);
                }
                _ => Constant::Aggregate(vec![constant; LANES as usize].into()),
            };
            return self.function.add_constant(TypedConstant { ty: vector, value });
        }
        self.b().splat(scalar, LANES)
    }

    /// The lanes that `base` and `shape` describe.
    pub(super) fn spread(&mut self, base: ValueId, shape: Shape) -> ValueId {
        let offsets = match shape {
            Shape::Strided(stride) => std::array::from_fn(|lane| stride.wrapping_mul(lane as i64)),
            Shape::Table(table) => self.uniformity.table(table),
            Shape::Uniform | Shape::Varying => return self.splat(base),
        };
        let ty = self.function.value_type(base).clone();
        if ty.is_ptr() {
            // Gathers are quicker with narrow indices.
            let narrow = offsets.iter().all(|offset| i32::try_from(*offset).is_ok());
            let index = Scalar::Int(if narrow { 32 } else { 64 });
            let steps = self.lane_constant(index, |lane| offsets[lane as usize] as u64);
            return self.b().gep(&Type::I8, base, vec![steps]);
        }
        let steps = self.lane_constant(ty.scalar().expect("integer"), |lane| offsets[lane as usize] as u64);
        let base = self.splat(base);
        self.b().binary(BinaryOp::Add, base, steps)
    }

    /// The lanes of a conditionally strided value, computed from the lanes of its operands.
    fn recompute(&mut self, value: ValueId) -> Result<ValueId, PassError> {
        let Some(id) = self.source.defining_inst(value) else {
            return Err(PassError::invalid("a strided value without definition".to_owned()));
        };
        let inst = self.source.inst(id).inst.clone();
        if let Inst::Phi { .. } = inst {
            // The φ-function keeps its lanes in a slot of their own.
            return self.phi_lanes(value);
        }
        let ty = self.source.value_type(value).clone();
        self.vector_inst(&inst, &ty)
    }

    /// Whether every lane of a value is known to be the same.
    pub(super) fn is_uniform(&self, value: ValueId) -> bool {
        self.uniformity.is_uniform(value)
    }

    /// Shape of a value.
    pub(super) fn shape(&self, value: ValueId) -> Shape {
        self.uniformity.fact(value).shape
    }

    /// Whether a mask is known to have all lanes.
    pub(super) fn is_full(&self, mask: ValueId) -> bool {
        matches!(self.function.constant(mask), Some(Constant::Aggregate(_)))
    }

    /// Mask as 32 bits.
    pub(super) fn mask_bits(&mut self, mask: ValueId) -> ValueId {
        self.b().cast(CastOp::Bitcast, mask, &Type::I32)
    }

    /// Whether any lane is in `mask`.
    pub(super) fn any(&mut self, mask: ValueId) -> ValueId {
        if self.is_full(mask) {
            return self.b().int(&Type::I1, 1);
        }
        let bits = self.mask_bits(mask);
        let mut b = self.b();
        let zero = b.int(&Type::I32, 0);
        b.icmp(mw_air::IntPredicate::Ne, bits, zero)
    }

    /// Whether all 32 lanes are in `mask`.
    pub(super) fn all(&mut self, mask: ValueId) -> ValueId {
        if self.is_full(mask) {
            return self.b().int(&Type::I1, 1);
        }
        let bits = self.mask_bits(mask);
        let mut b = self.b();
        let full = b.int(&Type::I32, u64::from(u32::MAX));
        b.icmp(mw_air::IntPredicate::Eq, bits, full)
    }

    /// Mask of the block that is being emitted.
    pub(super) fn mask(&self) -> ValueId {
        self.state.mask
    }

    /// Calls an external function.
    pub(super) fn call_external(&mut self, name: &str, args: Vec<ValueId>, ret: &Type) -> Option<ValueId> {
        let params = args.iter().map(|arg| self.function.value_type(*arg).clone()).collect();
        let ty = FunctionType { ret: ret.clone(), params, varargs: false };
        let callee = self.shared.external(name, &ty);
        self.b().call(callee, &ty, args)
    }

    /// Calls an external function that gives a value.
    pub(super) fn call_value(&mut self, name: &str, args: Vec<ValueId>, ret: &Type) -> ValueId {
        self.call_external(name, args, ret).expect("the function gives a value")
    }

    /// A constant of the source in the wide function.
    fn constant(&mut self, ty: &Type, constant: &Constant) -> Result<ValueId, PassError> {
        let lowered_ty = Self::lowered_type(ty);
        Ok(match constant {
            Constant::Int(_) | Constant::Undef | Constant::Poison => {
                self.function.add_constant(TypedConstant { ty: lowered_ty, value: constant.clone() })
            }
            Constant::Float(bits) => {
                let value = if lowered_ty.is_int() { Constant::Int(*bits) } else { constant.clone() };
                self.function.add_constant(TypedConstant { ty: lowered_ty, value })
            }
            Constant::Zero => {
                let value = if lowered_ty.is_int() && !is_matrix(&lowered_ty) {
                    Constant::Int(0)
                } else {
                    Constant::Zero
                };
                self.function.add_constant(TypedConstant { ty: lowered_ty, value })
            }
            Constant::Global(id) => self.global_address(*id)?,
            Constant::Expr(expr) => self.constant_expr(expr)?,
            Constant::Function(_) => {
                return Err(PassError::unsupported("the address of a function".to_owned()));
            }
            Constant::Aggregate(_) => {
                return Err(PassError::invalid(format!("constant of type `{ty}` in scalar form")));
            }
        })
    }

    fn global_address(&mut self, id: GlobalId) -> Result<ValueId, PassError> {
        if let Some(offset) = self.shared.memory.threadgroup.get(&id).copied() {
            let base = self.threadgroup_base();
            let mut b = self.b();
            let index = b.int(&Type::I64, u64::from(offset));
            return Ok(b.gep(&Type::I8, base, vec![index]));
        }
        let global = self.shared.memory.constant.get(&id).copied().ok_or_else(|| {
            let name = &self.shared.module.global(id).name;
            PassError::unsupported(format!("the global `{name}`, which has no value,"))
        })?;
        Ok(self.function.add_constant(TypedConstant { ty: PTR, value: Constant::Global(global) }))
    }

    /// Address of the static threadgroup memory, read once.
    fn threadgroup_base(&mut self) -> ValueId {
        if let Some(base) = self.threadgroup_base {
            return base;
        }
        let here = std::mem::replace(&mut self.block, self.slots);
        let base = self.context_ptr(offset::THREADGROUP_MEMORY);
        self.block = here;
        self.threadgroup_base = Some(base);
        base
    }

    fn constant_expr(&mut self, expr: &ConstantExpr) -> Result<ValueId, PassError> {
        match expr {
            ConstantExpr::Gep { source, base, indices, .. } => {
                let base = self.constant(&base.ty, &base.value)?;
                let mut values = Vec::new();
                for index in indices {
                    values.push(self.constant(&index.ty, &index.value)?);
                }
                Ok(self.b().gep(source, base, values))
            }
            ConstantExpr::Cast { op: CastOp::Bitcast | CastOp::AddrSpaceCast, value } => {
                self.constant(&value.ty, &value.value)
            }
            ConstantExpr::Cast { op, .. } => {
                Err(PassError::unsupported(format!("a constant `{}` of an address", op.name())))
            }
            ConstantExpr::Binary { op, .. } => {
                Err(PassError::unsupported(format!("a constant `{}` of an address", op.name())))
            }
        }
    }
}
