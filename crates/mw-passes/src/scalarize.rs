//! Take vectors and aggregates apart into scalars.
//!
//! **Before** `%v = load <4 x float>, ptr addrspace(1) %p` and arithmetic on `<4 x float>`; built-ins are
//! kernel parameters such as `<3 x i32> %position`.
//! **After** four loads at their byte offsets and four scalar operations; built-ins are calls of
//! `mw.builtin.<role>.<axis>`. Kernel parameters that were buffers keep their position.
//! **Requires** every call but recursion inlined, library functions given bodies.
//! **Ensures** every value is a scalar, but for simdgroup matrices: a `<64 x T>` is one value that
//! `mw.matrix.pack` makes from a lane's two elements and `mw.matrix.slot` takes apart. No lifetime marker,
//! assumption, memory copy or fill is left.
//! **Cost** O(instructions × elements).
//! **Not done** vectors of pointers; allocas of run-time size.

use std::collections::HashMap;
use std::sync::Arc;

use mw_air::schema::{ArgRole, KernelInfo};
use mw_air::{
    Attributes, BinaryOp, BlockId, Builder, Call, Callee, CastOp, Constant, Flags, FuncId, Function,
    FunctionType, Inst, IntPredicate, Layout, Module, Terminator, Type, TypedConstant, ValueDef, ValueId,
};
use rustc_hash::FxHashMap;

use crate::PassError;

/// Elements of a value that is taken apart; a larger aggregate is refused.
const MAX_LEAVES: usize = 4096;
/// Accesses that one memory copy or fill may become.
const MAX_COPY_STEPS: u64 = 4096;
/// Prefix of calls that stand for built-ins.
pub const BUILTIN_PREFIX: &str = "mw.builtin.";
/// Makes a simdgroup matrix out of a lane's two elements.
pub const MATRIX_PACK: &str = "mw.matrix.pack";
/// One of a lane's two elements of a simdgroup matrix.
pub const MATRIX_SLOT: &str = "mw.matrix.slot";

/// Takes all functions of `module` apart. `kernel` says which parameters are built-ins.
pub fn run(module: &Module, kernel: &KernelInfo) -> Result<Module, PassError> {
    let mut out = Module { functions: Vec::new(), ..module.clone() };
    // Earlier stages may have numbered functions anew: the name is what stays.
    let entry = module
        .function_named(&kernel.name)
        .ok_or_else(|| PassError::invalid(format!("kernel `{}` is gone", kernel.name)))?;
    let mut declarations = Declarations::default();
    // Defined functions keep their handles: they are added first, in order, as shells.
    let mut kept: FxHashMap<FuncId, FuncId> = FxHashMap::default();
    for id in module.function_ids().filter(|id| !module.function(*id).is_declaration()) {
        let function = module.function(id);
        let ty = if id == entry { function.ty.clone() } else { flatten_signature(function)? };
        let mut shell = Function::new(&function.name, ty);
        shell.attrs = function.attrs.clone();
        shell.linkage = function.linkage;
        kept.insert(id, out.add_function(shell));
    }
    for old in module.function_ids() {
        let Some(new) = kept.get(&old).copied() else { continue };
        let builtins = (old == entry).then_some(kernel);
        let body = Scalarizer::new(module, &mut out, &kept, &mut declarations, old, new, builtins).run()?;
        *out.function_mut(new) = body;
    }
    crate::keep_matrices_whole::run(&mut out);
    Ok(out)
}

/// Whether a type is a simdgroup matrix: the only vectors of 64 elements that AIR has.
pub(crate) fn is_matrix(ty: &Type) -> bool {
    matches!(ty, Type::Vector(_, 64))
}

/// The scalars (and matrices) that a type consists of, with byte offsets in memory.
pub(crate) fn leaves(ty: &Type) -> Result<Vec<(Type, u64)>, PassError> {
    let mut out = Vec::new();
    collect_leaves(ty, 0, &mut out)?;
    Ok(out)
}

fn collect_leaves(ty: &Type, offset: u64, out: &mut Vec<(Type, u64)>) -> Result<(), PassError> {
    if out.len() > MAX_LEAVES {
        return Err(PassError::unsupported(format!(
            "a value of type `{ty}` with over {MAX_LEAVES} elements"
        )));
    }
    match ty {
        Type::Void => {}
        Type::Scalar(_) | Type::Metadata => out.push((ty.clone(), offset)),
        Type::Vector(..) if is_matrix(ty) => out.push((ty.clone(), offset)),
        Type::Vector(scalar, lanes) => {
            let size = u64::from(scalar.bits().div_ceil(8));
            for lane in 0..u64::from(*lanes) {
                out.push((Type::Scalar(*scalar), offset + lane * size));
            }
        }
        Type::Array(element, count) => {
            if *count > MAX_LEAVES as u64 {
                return Err(PassError::unsupported(format!("a value of type `{ty}`")));
            }
            let size = Layout::alloc_size(element);
            for index in 0..*count {
                collect_leaves(element, offset + index * size, out)?;
            }
        }
        Type::Struct(structure) => {
            for (index, field) in structure.fields.iter().enumerate() {
                collect_leaves(field, offset + Layout::field_offset(structure, index), out)?;
            }
        }
    }
    Ok(())
}

/// First leaf and number of leaves of the member that `indices` lead to.
fn leaf_range(ty: &Type, indices: &[u32]) -> Result<(usize, usize), PassError> {
    let mut ty = ty.clone();
    let mut first = 0;
    for index in indices {
        for before in 0..*index {
            first += leaves(&element(&ty, before)?)?.len();
        }
        ty = element(&ty, *index)?;
    }
    Ok((first, leaves(&ty)?.len()))
}

fn element(ty: &Type, index: u32) -> Result<Type, PassError> {
    ty.element(u64::from(index)).ok_or_else(|| PassError::invalid(format!("`{ty}` has no member {index}")))
}

fn flatten_signature(function: &Function) -> Result<FunctionType, PassError> {
    let mut params = Vec::new();
    for param in &function.ty.params {
        params.extend(leaves(param)?.into_iter().map(|(ty, _)| ty));
    }
    let mut ret = leaves(&function.ty.ret)?;
    let ret = match ret.len() {
        0 => Type::Void,
        1 => ret.remove(0).0,
        _ => Type::literal_struct(ret.into_iter().map(|(ty, _)| ty).collect()),
    };
    Ok(FunctionType { ret, params, varargs: false })
}

/// Declarations made so far, by name.
#[derive(Default)]
struct Declarations {
    by_name: HashMap<String, (FuncId, FunctionType)>,
}

impl Declarations {
    fn get(&mut self, out: &mut Module, name: &str, ty: &FunctionType, attrs: &Attributes) -> FuncId {
        if let Some((id, known)) = self.by_name.get(name)
            && known == ty
        {
            return *id;
        }
        let mut function = Function::new(name, ty.clone());
        function.attrs = attrs.clone();
        let id = out.add_function(function);
        self.by_name.insert(name.to_owned(), (id, ty.clone()));
        id
    }
}

struct Scalarizer<'m> {
    module: &'m Module,
    out: &'m mut Module,
    kept: &'m FxHashMap<FuncId, FuncId>,
    declarations: &'m mut Declarations,
    source: &'m Function,
    function: Function,
    kernel: Option<&'m KernelInfo>,
    /// Leaves of each source value.
    map: Vec<Option<Arc<[ValueId]>>>,
    /// Placed φ-functions of each source φ, to be filled at the end.
    phis: Vec<(ValueId, Arc<[ValueId]>)>,
    /// The two elements that a matrix was made of.
    packs: FxHashMap<ValueId, [ValueId; 2]>,
    /// The matrix and place that an element was taken from.
    slots: FxHashMap<ValueId, (ValueId, u64)>,
}

impl<'m> Scalarizer<'m> {
    fn new(
        module: &'m Module,
        out: &'m mut Module,
        kept: &'m FxHashMap<FuncId, FuncId>,
        declarations: &'m mut Declarations,
        old: FuncId,
        new: FuncId,
        kernel: Option<&'m KernelInfo>,
    ) -> Self {
        let source = module.function(old);
        let mut function = out.function(new).clone();
        for _ in &source.blocks {
            function.add_block();
        }
        let map = vec![None; source.values().len()];
        Self {
            module,
            out,
            kept,
            declarations,
            source,
            function,
            kernel,
            map,
            phis: Vec::new(),
            packs: FxHashMap::default(),
            slots: FxHashMap::default(),
        }
    }

    fn run(mut self) -> Result<Function, PassError> {
        self.map_params()?;
        let cfg = mw_air::analysis::Cfg::new(self.source);
        for block in &cfg.order {
            self.block(*block)?;
        }
        self.fill_phis()?;
        Ok(self.function)
    }

    fn map_params(&mut self) -> Result<(), PassError> {
        let Some(kernel) = self.kernel else {
            let mut next = 0;
            for index in 0..self.source.ty.params.len() {
                let count = leaves(&self.source.ty.params[index])?.len();
                let list: Vec<ValueId> = (next..next + count).map(ValueId::new).collect();
                next += count;
                self.map[index] = Some(list.into());
            }
            return Ok(());
        };
        for (index, arg) in kernel.args.iter().enumerate() {
            let param = ValueId::new(index);
            let list: Vec<ValueId> = match &arg.role {
                ArgRole::Builtin(builtin) => {
                    let role = builtin.role().trim_start_matches("air.");
                    let mut list = Vec::new();
                    for (axis, (ty, _)) in leaves(self.source.value_type(param))?.into_iter().enumerate() {
                        let name = format!("{BUILTIN_PREFIX}{role}.{axis}");
                        let value = self.call(Function::ENTRY, &name, vec![], &ty, &Attributes::default());
                        list.push(value.expect("built-ins have a value"));
                    }
                    list
                }
                ArgRole::Buffer(_) | ArgRole::IndirectBuffer(_) => vec![param],
                ArgRole::VisibleFunctionTable { .. } => vec![param],
            };
            self.map[index] = Some(list.into());
        }
        Ok(())
    }

    /// Leaves of a source value; constants are made on demand.
    fn leaves_of(&mut self, value: ValueId) -> Result<Arc<[ValueId]>, PassError> {
        if let Some(list) = &self.map[value.index()] {
            return Ok(list.clone());
        }
        let data = self.source.value(value);
        let ValueDef::Const(constant) = &data.def else {
            return Err(PassError::invalid("a value is used before it is defined".to_owned()));
        };
        let mut list = Vec::new();
        self.constant_leaves(&data.ty, constant, &mut list)?;
        let list: Arc<[ValueId]> = list.into();
        self.map[value.index()] = Some(list.clone());
        Ok(list)
    }

    fn one(&mut self, value: ValueId) -> Result<ValueId, PassError> {
        let list = self.leaves_of(value)?;
        match &*list {
            [single] => Ok(*single),
            _ => Err(PassError::invalid("a scalar operand is expected".to_owned())),
        }
    }

    fn constant_leaves(
        &mut self,
        ty: &Type,
        constant: &Constant,
        out: &mut Vec<ValueId>,
    ) -> Result<(), PassError> {
        match (ty, constant) {
            (Type::Scalar(_), _) => {
                let constant =
                    self.remap_constant(TypedConstant { ty: ty.clone(), value: constant.clone() })?;
                out.push(self.function.add_constant(constant));
            }
            (_, Constant::Aggregate(elements)) if !is_matrix(ty) => {
                for element in elements.iter() {
                    self.constant_leaves(&element.ty, &element.value, out)?;
                }
            }
            (_, Constant::Aggregate(elements)) => {
                // A constant matrix is uniform over lanes: both slots of every lane hold elements 0 and 1.
                let first = self.function.add_constant(elements[0].clone());
                let second = self.function.add_constant(elements[1].clone());
                let block = Function::ENTRY;
                out.push(self.pack(block, ty, first, second));
            }
            (_, Constant::Zero | Constant::Undef | Constant::Poison) => {
                for (leaf, _) in leaves(ty)? {
                    let leaf = TypedConstant { ty: leaf, value: constant.clone() };
                    out.push(self.function.add_constant(leaf));
                }
            }
            _ => return Err(PassError::invalid(format!("constant of type `{ty}` has the wrong kind"))),
        }
        Ok(())
    }

    fn remap_constant(&self, constant: TypedConstant) -> Result<TypedConstant, PassError> {
        Ok(match &constant.value {
            Constant::Function(id) => TypedConstant {
                ty: constant.ty.clone(),
                value: Constant::Function(*self.kept.get(id).ok_or_else(|| {
                    PassError::unsupported(format!("the address of `{}`", self.module.function(*id).name))
                })?),
            },
            _ => constant,
        })
    }

    fn block(&mut self, block: BlockId) -> Result<(), PassError> {
        for index in 0..self.source.block(block).insts.len() {
            let id = self.source.block(block).insts[index];
            let data = self.source.inst(id);
            let ty = data.result.map_or(Type::Void, |result| self.source.value_type(result).clone());
            let list = self.inst(block, &data.inst, &ty, data.result)?;
            if let Some(result) = data.result {
                self.map[result.index()] = Some(list.into());
            }
        }
        let mut terminator = self.source.block(block).terminator.clone();
        match &mut terminator {
            Terminator::Ret(Some(value)) => {
                let list = self.leaves_of(*value)?;
                *value = if let [single] = &*list { *single } else { self.aggregate(block, &list) };
            }
            Terminator::CondBr { condition: value, .. } | Terminator::Switch { value, .. } => {
                *value = self.one(*value)?;
            }
            Terminator::Ret(None) | Terminator::Br(_) | Terminator::Unreachable => {}
        }
        self.function.block_mut(block).terminator = terminator;
        Ok(())
    }

    /// A literal structure of `list`, for returning several leaves.
    fn aggregate(&mut self, block: BlockId, list: &[ValueId]) -> ValueId {
        let types = list.iter().map(|leaf| self.function.value_type(*leaf).clone()).collect();
        let ty = Type::literal_struct(types);
        let mut builder = Builder::at(&mut self.function, block);
        let mut value = builder.poison(&ty);
        for (index, leaf) in list.iter().enumerate() {
            let inst = Inst::InsertValue { aggregate: value, element: *leaf, indices: vec![index as u32] };
            value = builder.push(inst, ty.clone());
        }
        value
    }

    fn at(&mut self, block: BlockId) -> Builder<'_> {
        Builder::at(&mut self.function, block)
    }

    fn inst(
        &mut self,
        block: BlockId,
        inst: &Inst,
        ty: &Type,
        result: Option<ValueId>,
    ) -> Result<Vec<ValueId>, PassError> {
        match inst {
            Inst::Binary { op, lhs, rhs, flags } => {
                let (lhs, rhs) = (self.leaves_of(*lhs)?, self.leaves_of(*rhs)?);
                Ok(self.zip(block, &lhs, &rhs, |b, l, r| b.binary_flags(*op, l, r, *flags)))
            }
            Inst::FNeg { value, .. } => {
                let list = self.leaves_of(*value)?;
                Ok(list.iter().map(|leaf| self.at(block).fneg(*leaf)).collect())
            }
            Inst::Cast { op: CastOp::Bitcast, value, .. } => self.bitcast(block, *value, ty),
            Inst::Cast { op, value, flags } => {
                let list = self.leaves_of(*value)?;
                let scalar =
                    Type::Scalar(ty.scalar().ok_or_else(|| PassError::invalid(format!("cast to `{ty}`")))?);
                let make = |leaf: &ValueId| {
                    self.at(block).push(Inst::Cast { op: *op, value: *leaf, flags: *flags }, scalar.clone())
                };
                Ok(list.iter().map(make).collect())
            }
            Inst::ICmp { predicate, lhs, rhs, flags } => {
                let (lhs, rhs) = (self.leaves_of(*lhs)?, self.leaves_of(*rhs)?);
                Ok(self.zip(block, &lhs, &rhs, |b, l, r| {
                    b.push(Inst::ICmp { predicate: *predicate, lhs: l, rhs: r, flags: *flags }, Type::I1)
                }))
            }
            Inst::FCmp { predicate, lhs, rhs, .. } => {
                let (lhs, rhs) = (self.leaves_of(*lhs)?, self.leaves_of(*rhs)?);
                Ok(self.zip(block, &lhs, &rhs, |b, l, r| b.fcmp(*predicate, l, r)))
            }
            Inst::Select { condition, on_true, on_false, .. } => {
                let conditions = self.leaves_of(*condition)?;
                let (on_true, on_false) = (self.leaves_of(*on_true)?, self.leaves_of(*on_false)?);
                let mut out = Vec::with_capacity(on_true.len());
                for (index, (t, f)) in on_true.iter().zip(on_false.iter()).enumerate() {
                    let condition = if conditions.len() == 1 { conditions[0] } else { conditions[index] };
                    out.push(self.at(block).select(condition, *t, *f));
                }
                Ok(out)
            }
            Inst::Freeze { value } => {
                let list = self.leaves_of(*value)?;
                let mut out = Vec::with_capacity(list.len());
                for leaf in list.iter() {
                    let leaf_ty = self.function.value_type(*leaf).clone();
                    out.push(if is_matrix(&leaf_ty) {
                        *leaf
                    } else {
                        self.at(block).push(Inst::Freeze { value: *leaf }, leaf_ty)
                    });
                }
                Ok(out)
            }
            Inst::Phi { .. } => {
                let mut list = Vec::new();
                for (leaf, _) in leaves(ty)? {
                    list.push(self.at(block).phi(&leaf, Vec::new()));
                }
                let result = result.expect("φ-functions have a value");
                self.phis.push((result, list.clone().into()));
                Ok(list)
            }
            Inst::ExtractElement { vector, index } => self.extract_element(block, *vector, *index),
            Inst::InsertElement { vector, element, index } => {
                self.insert_element(block, *vector, *element, *index)
            }
            Inst::ShuffleVector { first, second, mask } => self.shuffle(block, *first, *second, mask, ty),
            Inst::ExtractValue { aggregate, indices } => {
                let (first, count) = leaf_range(self.source.value_type(*aggregate), indices)?;
                let list = self.leaves_of(*aggregate)?;
                Ok(list[first..first + count].to_vec())
            }
            Inst::InsertValue { aggregate, element, indices } => {
                let (first, count) = leaf_range(ty, indices)?;
                let mut list = self.leaves_of(*aggregate)?.to_vec();
                let element = self.leaves_of(*element)?;
                list[first..first + count].copy_from_slice(&element);
                Ok(list)
            }
            Inst::Alloca { ty: allocated, count, align, space } => {
                if count.is_some_and(|count| self.source.as_int(count) != Some(1)) {
                    return Err(PassError::unsupported("private memory of run-time size".to_owned()));
                }
                let inst = Inst::Alloca { ty: allocated.clone(), count: None, align: *align, space: *space };
                Ok(vec![self.at(block).push(inst, ty.clone())])
            }
            Inst::Load { ptr, align, volatile, ordering } => {
                let ptr = self.one(*ptr)?;
                let mut out = Vec::new();
                for (leaf, offset) in leaves(ty)? {
                    let place = self.offset(block, ptr, offset);
                    let align = align_at(*align, ty, offset);
                    if is_matrix(&leaf) {
                        let scalar = Type::Scalar(leaf.scalar().expect("matrix"));
                        let first = self.at(block).load(&scalar, place, align);
                        let size = Layout::alloc_size(&scalar);
                        let next = self.offset(block, place, size);
                        let second = self.at(block).load(&scalar, next, align_at(align, &scalar, size));
                        out.push(self.pack(block, &leaf, first, second));
                    } else {
                        let inst = Inst::Load { ptr: place, align, volatile: *volatile, ordering: *ordering };
                        out.push(self.at(block).push(inst, leaf));
                    }
                }
                Ok(out)
            }
            Inst::Store { ptr, value, align, volatile, ordering } => {
                let ptr = self.one(*ptr)?;
                let ty = self.source.value_type(*value).clone();
                let list = self.leaves_of(*value)?;
                for ((leaf, offset), value) in leaves(&ty)?.into_iter().zip(list.iter()) {
                    let place = self.offset(block, ptr, offset);
                    let align = align_at(*align, &ty, offset);
                    if is_matrix(&leaf) {
                        let scalar = Type::Scalar(leaf.scalar().expect("matrix"));
                        let size = Layout::alloc_size(&scalar);
                        let (first, second) = (self.slot(block, *value, 0), self.slot(block, *value, 1));
                        self.at(block).store(place, first, align);
                        let next = self.offset(block, place, size);
                        self.at(block).store(next, second, align_at(align, &scalar, size));
                    } else {
                        let inst = Inst::Store {
                            ptr: place,
                            value: *value,
                            align,
                            volatile: *volatile,
                            ordering: *ordering,
                        };
                        self.at(block).push_void(inst);
                    }
                }
                Ok(Vec::new())
            }
            Inst::Gep { source, base, indices, flags } => {
                let base = self.one(*base)?;
                let indices = indices.iter().map(|index| self.one(*index)).collect::<Result<Vec<_>, _>>()?;
                let inst = Inst::Gep { source: source.clone(), base, indices, flags: *flags };
                Ok(vec![self.at(block).push(inst, ty.clone())])
            }
            Inst::Call(call) => self.call_inst(block, call, ty),
            Inst::AtomicRmw { .. } | Inst::CmpXchg { .. } => {
                let mut inst = inst.clone();
                let mut failure = None;
                inst.map_operands(|operand| match self.one(operand) {
                    Ok(value) => value,
                    Err(error) => {
                        failure = Some(error);
                        operand
                    }
                });
                if let Some(error) = failure {
                    return Err(error);
                }
                let value = self.at(block).push(inst, ty.clone());
                if ty.is_aggregate() {
                    let mut out = Vec::new();
                    for (index, (leaf, _)) in leaves(ty)?.into_iter().enumerate() {
                        let inst = Inst::ExtractValue { aggregate: value, indices: vec![index as u32] };
                        out.push(self.at(block).push(inst, leaf));
                    }
                    return Ok(out);
                }
                Ok(vec![value])
            }
            Inst::Fence { ordering } => {
                self.at(block).fence(*ordering);
                Ok(Vec::new())
            }
        }
    }

    fn zip(
        &mut self,
        block: BlockId,
        lhs: &[ValueId],
        rhs: &[ValueId],
        mut make: impl FnMut(&mut Builder<'_>, ValueId, ValueId) -> ValueId,
    ) -> Vec<ValueId> {
        let mut builder = Builder::at(&mut self.function, block);
        lhs.iter().zip(rhs).map(|(l, r)| make(&mut builder, *l, *r)).collect()
    }

    fn offset(&mut self, block: BlockId, ptr: ValueId, offset: u64) -> ValueId {
        if offset == 0 {
            return ptr;
        }
        let mut builder = self.at(block);
        let index = builder.int(&Type::I64, offset);
        let ty = builder.ty(ptr);
        let flags = Flags::INBOUNDS;
        builder.push(Inst::Gep { source: Type::I8, base: ptr, indices: vec![index], flags }, ty)
    }

    fn pack(&mut self, block: BlockId, ty: &Type, first: ValueId, second: ValueId) -> ValueId {
        if let (Some((a, 0)), Some((b, 1))) = (self.slots.get(&first), self.slots.get(&second))
            && a == b
        {
            return *a;
        }
        let name = format!("{MATRIX_PACK}.{}", ty.scalar().expect("matrix").suffix());
        let matrix =
            self.call(block, &name, vec![first, second], ty, &Attributes::default()).expect("has a value");
        self.packs.insert(matrix, [first, second]);
        matrix
    }

    fn slot(&mut self, block: BlockId, matrix: ValueId, slot: u64) -> ValueId {
        if let Some(parts) = self.packs.get(&matrix) {
            return parts[slot as usize];
        }
        if matches!(self.function.constant(matrix), Some(Constant::Undef | Constant::Poison)) {
            let scalar = Type::Scalar(self.function.value_type(matrix).scalar().expect("matrix"));
            return self.at(block).poison(&scalar);
        }
        let scalar = self.function.value_type(matrix).scalar().expect("matrix");
        let index = self.function.const_int(Type::I32, slot);
        let name = format!("{MATRIX_SLOT}.{}", scalar.suffix());
        let value = self
            .call(block, &name, vec![matrix, index], &Type::Scalar(scalar), &Attributes::default())
            .expect("has a value");
        self.slots.insert(value, (matrix, slot));
        value
    }

    /// Element `index` of a vector value: slots 0 and 1 of a matrix, any element of another vector.
    fn vector_element(&mut self, block: BlockId, vector: ValueId, index: u64) -> Result<ValueId, PassError> {
        let (vector, index) = self.widened_from(vector, index);
        let ty = self.source.value_type(vector).clone();
        let list = self.leaves_of(vector)?;
        if is_matrix(&ty) {
            return Ok(if index < 2 {
                self.slot(block, list[0], index)
            } else {
                let scalar = Type::Scalar(ty.scalar().expect("matrix"));
                self.at(block).poison(&scalar)
            });
        }
        list.get(index as usize)
            .copied()
            .map_or_else(|| Ok(self.at(block).poison(&Type::Scalar(ty.scalar().expect("vector")))), Ok)
    }

    /// Where an element beyond the slots of a matrix comes from. LLVM widens a short vector to the size of a matrix
    /// and shuffles its elements into slots 0 and 1 in a second step; the value between is no matrix.
    fn widened_from(&self, mut vector: ValueId, mut index: u64) -> (ValueId, u64) {
        while index >= 2 && is_matrix(self.source.value_type(vector)) {
            let Some(inst) = self.source.defining_inst(vector) else { break };
            let Inst::ShuffleVector { first, second, mask } = &self.source.inst(inst).inst else { break };
            let width = u64::from(self.source.value_type(*first).lanes().unwrap_or(1));
            let Some(Ok(position)) = mask.get(index as usize).map(|it| u64::try_from(*it)) else { break };
            (vector, index) = if position < width { (*first, position) } else { (*second, position - width) };
        }
        (vector, index)
    }

    fn extract_element(
        &mut self,
        block: BlockId,
        vector: ValueId,
        index: ValueId,
    ) -> Result<Vec<ValueId>, PassError> {
        if let Some(index) = self.source.as_int(index) {
            return Ok(vec![self.vector_element(block, vector, index)?]);
        }
        if is_matrix(self.source.value_type(vector)) {
            return Err(PassError::unsupported("a simdgroup matrix element chosen at run time".to_owned()));
        }
        let index = self.one(index)?;
        let list = self.leaves_of(vector)?;
        let mut value = list[0];
        for (position, element) in list.iter().enumerate().skip(1) {
            let mut builder = self.at(block);
            let ty = builder.ty(index);
            let position = builder.int(&ty, position as u64);
            let hit = builder.icmp(IntPredicate::Eq, index, position);
            value = builder.select(hit, *element, value);
        }
        Ok(vec![value])
    }

    fn insert_element(
        &mut self,
        block: BlockId,
        vector: ValueId,
        element: ValueId,
        index: ValueId,
    ) -> Result<Vec<ValueId>, PassError> {
        let ty = self.source.value_type(vector).clone();
        let element = self.one(element)?;
        let constant = self.source.as_int(index);
        if is_matrix(&ty) {
            let matrix = self.leaves_of(vector)?[0];
            return Ok(vec![match constant {
                Some(0) => {
                    let second = self.slot(block, matrix, 1);
                    self.pack(block, &ty, element, second)
                }
                Some(1) => {
                    let first = self.slot(block, matrix, 0);
                    self.pack(block, &ty, first, element)
                }
                // Slots beyond a lane's two are never read.
                Some(_) => matrix,
                None => {
                    return Err(PassError::unsupported(
                        "a simdgroup matrix element chosen at run time".to_owned(),
                    ));
                }
            }]);
        }
        let mut list = self.leaves_of(vector)?.to_vec();
        if let Some(index) = constant {
            if let Some(place) = list.get_mut(index as usize) {
                *place = element;
            }
            return Ok(list);
        }
        let index = self.one(index)?;
        for (position, old) in list.iter_mut().enumerate() {
            let mut builder = self.at(block);
            let ty = builder.ty(index);
            let position = builder.int(&ty, position as u64);
            let hit = builder.icmp(IntPredicate::Eq, index, position);
            *old = builder.select(hit, element, *old);
        }
        Ok(list)
    }

    fn shuffle(
        &mut self,
        block: BlockId,
        first: ValueId,
        second: ValueId,
        mask: &[i32],
        ty: &Type,
    ) -> Result<Vec<ValueId>, PassError> {
        let width = self.source.value_type(first).lanes().unwrap_or(1) as i32;
        let pick = |this: &mut Self, position: i32| -> Result<ValueId, PassError> {
            if position < 0 {
                let scalar = Type::Scalar(ty.scalar().expect("vector"));
                return Ok(this.at(block).poison(&scalar));
            }
            let (vector, index) =
                if position < width { (first, position) } else { (second, position - width) };
            this.vector_element(block, vector, index as u64)
        };
        if is_matrix(ty) {
            // The other 62 slots only carry undefined values around.
            for (vector, base) in [(first, 0), (second, width)] {
                if is_matrix(self.source.value_type(vector)) && mask[0] == base && mask[1] == base + 1 {
                    return Ok(vec![self.leaves_of(vector)?[0]]);
                }
            }
            let (low, high) = (pick(self, mask[0])?, pick(self, mask[1])?);
            return Ok(vec![self.pack(block, ty, low, high)]);
        }
        mask.iter().map(|position| pick(self, *position)).collect()
    }

    /// Same bits, other shape: through integers where the number of elements changes.
    fn bitcast(&mut self, block: BlockId, value: ValueId, ty: &Type) -> Result<Vec<ValueId>, PassError> {
        let from = self.source.value_type(value).clone();
        let list = self.leaves_of(value)?;
        let targets = leaves(ty)?;
        let cast = |this: &mut Self, value: ValueId, ty: &Type| {
            if this.function.value_type(value) == ty {
                value
            } else {
                this.at(block).cast(CastOp::Bitcast, value, ty)
            }
        };
        if list.len() == targets.len() {
            return Ok(list.iter().zip(&targets).map(|(leaf, (ty, _))| cast(self, *leaf, ty)).collect());
        }
        let (Some(from_scalar), Some(to_scalar)) = (from.scalar(), ty.scalar()) else {
            return Err(PassError::invalid(format!("bitcast from `{from}` to `{ty}`")));
        };
        let (from_bits, to_bits) = (from_scalar.bits(), to_scalar.bits());
        let mut out = Vec::with_capacity(targets.len());
        if from_bits < to_bits {
            let wide = Type::int(to_bits as u16);
            let per = (to_bits / from_bits) as usize;
            for group in list.chunks(per) {
                let mut sum: Option<ValueId> = None;
                for (position, leaf) in group.iter().enumerate() {
                    let narrow = cast(self, *leaf, &Type::int(from_bits as u16));
                    let mut builder = self.at(block);
                    let mut part = builder.cast(CastOp::ZExt, narrow, &wide);
                    if position > 0 {
                        let count = builder.int(&wide, position as u64 * u64::from(from_bits));
                        part = builder.binary(BinaryOp::Shl, part, count);
                    }
                    sum =
                        Some(sum.map_or(part, |sum| {
                            builder.binary_flags(BinaryOp::Or, sum, part, Flags::DISJOINT)
                        }));
                }
                out.push(cast(self, sum.expect("group is not empty"), &Type::Scalar(to_scalar)));
            }
        } else {
            let narrow = Type::int(to_bits as u16);
            let wide = Type::int(from_bits as u16);
            for leaf in list.iter() {
                let whole = cast(self, *leaf, &wide);
                for position in 0..u64::from(from_bits / to_bits) {
                    let mut builder = self.at(block);
                    let count = builder.int(&wide, position * u64::from(to_bits));
                    let shifted =
                        if position == 0 { whole } else { builder.binary(BinaryOp::LShr, whole, count) };
                    let part = builder.cast(CastOp::Trunc, shifted, &narrow);
                    out.push(cast(self, part, &Type::Scalar(to_scalar)));
                }
            }
        }
        Ok(out)
    }

    fn call(
        &mut self,
        block: BlockId,
        name: &str,
        args: Vec<ValueId>,
        ret: &Type,
        attrs: &Attributes,
    ) -> Option<ValueId> {
        let params = args.iter().map(|arg| self.function.value_type(*arg).clone()).collect();
        let ty = FunctionType { ret: ret.clone(), params, varargs: false };
        let callee = self.declarations.get(self.out, name, &ty, attrs);
        self.at(block).call(callee, &ty, args)
    }

    fn call_inst(&mut self, block: BlockId, call: &Call, ty: &Type) -> Result<Vec<ValueId>, PassError> {
        let Callee::Function(id) = call.callee else {
            return Err(PassError::unsupported("a call through a pointer".to_owned()));
        };
        let callee = self.module.function(id);
        let name = &*callee.name;
        if name.starts_with("llvm.lifetime.")
            || name == "llvm.assume"
            || name.starts_with("llvm.experimental.noalias")
        {
            return Ok(Vec::new());
        }
        if name.starts_with("llvm.memcpy.")
            || name.starts_with("llvm.memmove.")
            || name.starts_with("llvm.memset.")
        {
            return self.copy_or_fill(block, name, call);
        }
        let mut args = Vec::new();
        for arg in &call.args {
            let list = self.leaves_of(*arg)?;
            args.push(list);
        }
        if let Some(defined) = self.kept.get(&id).copied() {
            let flat: Vec<ValueId> = args.iter().flat_map(|list| list.iter().copied()).collect();
            let ty = self.out.function(defined).ty.clone();
            let value = self.at(block).call(defined, &ty, flat);
            return Ok(match value {
                None => Vec::new(),
                Some(value) if !ty.ret.is_aggregate() => vec![value],
                Some(value) => {
                    let mut out = Vec::new();
                    for (index, (leaf, _)) in leaves(&ty.ret)?.into_iter().enumerate() {
                        let inst = Inst::ExtractValue { aggregate: value, indices: vec![index as u32] };
                        out.push(self.at(block).push(inst, leaf));
                    }
                    out
                }
            });
        }
        let targets = leaves(ty)?;
        let elementwise = targets.len() > 1 && !name.starts_with("air.simdgroup_matrix");
        if !elementwise {
            let flat: Vec<ValueId> = args.iter().flat_map(|list| list.iter().copied()).collect();
            // A store of a vector has several elements and no result: one call for each element.
            if name.starts_with("air.store.") && flat.len() > 2 {
                return self.store_elements(block, name, call);
            }
            let result = targets.first().map_or(Type::Void, |(ty, _)| ty.clone());
            return Ok(self.call(block, name, flat, &result, &callee.attrs).into_iter().collect());
        }
        if name.starts_with("air.load.") {
            let ptr = args[0][0];
            let name = scalar_name(name);
            let mut out = Vec::new();
            for (leaf, offset) in targets {
                let place = self.offset(block, ptr, offset);
                out.extend(self.call(block, &name, vec![place], &leaf, &callee.attrs));
            }
            return Ok(out);
        }
        let name = scalar_name(name);
        let mut out = Vec::new();
        for (index, (leaf, _)) in targets.iter().enumerate() {
            let element =
                args.iter().map(|list| if list.len() == targets.len() { list[index] } else { list[0] });
            let element = element.collect();
            out.extend(self.call(block, &name, element, leaf, &callee.attrs));
        }
        Ok(out)
    }

    fn store_elements(&mut self, block: BlockId, name: &str, call: &Call) -> Result<Vec<ValueId>, PassError> {
        let ty = self.source.value_type(call.args[0]).clone();
        let values = self.leaves_of(call.args[0])?;
        let ptr = self.one(call.args[1])?;
        let name = scalar_name(name);
        for ((_, offset), value) in leaves(&ty)?.into_iter().zip(values.iter()) {
            let place = self.offset(block, ptr, offset);
            self.call(block, &name, vec![*value, place], &Type::Void, &Attributes::default());
        }
        Ok(Vec::new())
    }

    /// A copy or fill of constant length becomes loads and stores.
    fn copy_or_fill(&mut self, block: BlockId, name: &str, call: &Call) -> Result<Vec<ValueId>, PassError> {
        let length = self.source.as_int(call.args[2]).ok_or_else(|| {
            PassError::unsupported(format!("`{name}` of a length that is not known when compiling"))
        })?;
        let align_of = |index: usize| {
            call.arg_attrs.get(index).and_then(|attrs| attrs.int("align")).unwrap_or(1).clamp(1, 8)
        };
        let fill = name.starts_with("llvm.memset.");
        let mut align = align_of(0);
        if !fill {
            align = align.min(align_of(1));
        }
        if length / align > MAX_COPY_STEPS {
            return Err(PassError::unsupported(format!("`{name}` of {length} bytes in steps of {align}")));
        }
        let target = self.one(call.args[0])?;
        let source = self.one(call.args[1])?;
        // All loads before all stores: the ranges of a move may overlap.
        let mut steps = Vec::new();
        let mut offset = 0;
        while offset < length {
            let mut size = align;
            while size > length - offset {
                size /= 2;
            }
            steps.push((offset, size));
            offset += size;
        }
        let mut values = Vec::with_capacity(steps.len());
        for (offset, size) in &steps {
            let ty = Type::int(*size as u16 * 8);
            values.push(if fill {
                let mut builder = self.at(block);
                if *size == 1 {
                    source
                } else {
                    let wide = builder.cast(CastOp::ZExt, source, &ty);
                    let repeat = builder.int(&ty, 0x0101_0101_0101_0101);
                    builder.binary(BinaryOp::Mul, wide, repeat)
                }
            } else {
                let place = self.offset(block, source, *offset);
                self.at(block).load(&ty, place, *size as u32)
            });
        }
        for ((offset, size), value) in steps.into_iter().zip(values) {
            let place = self.offset(block, target, offset);
            self.at(block).store(place, value, size as u32);
        }
        Ok(Vec::new())
    }

    fn fill_phis(&mut self) -> Result<(), PassError> {
        let cfg = mw_air::analysis::Cfg::new(self.source);
        for (result, list) in std::mem::take(&mut self.phis) {
            let inst = self.source.defining_inst(result).expect("is a φ-function");
            let Inst::Phi { incoming, .. } = &self.source.inst(inst).inst else {
                unreachable!("is a φ-function")
            };
            for (from, value) in incoming {
                if !cfg.is_reachable(*from) {
                    continue;
                }
                let leaves = self.leaves_of(*value)?;
                for (phi, leaf) in list.iter().zip(leaves.iter()) {
                    let id = self.function.defining_inst(*phi).expect("is a φ-function");
                    let Inst::Phi { incoming, .. } = &mut self.function.inst_mut(id).inst else {
                        unreachable!("is a φ-function")
                    };
                    incoming.push((*from, *leaf));
                }
            }
        }
        Ok(())
    }
}

/// Alignment at `offset` of an access of type `ty` that is aligned to `align` (0: naturally).
fn align_at(align: u32, ty: &Type, offset: u64) -> u32 {
    let align = if align == 0 { Layout::align(ty) } else { align };
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(12)) }
}

/// The name of the scalar overload: `air.simd_shuffle.v4f32` becomes `air.simd_shuffle.f32`.
fn scalar_name(name: &str) -> String {
    let part = |part: &str| -> String {
        let strip = |text: &str| -> Option<String> {
            let rest = text.strip_prefix('v')?;
            let digits = rest.find(|c: char| !c.is_ascii_digit())?;
            (digits > 0 && matches!(rest.as_bytes()[digits], b'f' | b'i' | b'b'))
                .then(|| rest[digits..].to_owned())
        };
        if let Some(scalar) = strip(part) {
            return scalar;
        }
        // `p1v4f32`: a pointer to a vector.
        if let Some(rest) = part.strip_prefix('p')
            && let Some(digits) = rest.find(|c: char| !c.is_ascii_digit())
            && digits > 0
            && let Some(scalar) = strip(&rest[digits..])
        {
            return format!("p{}{scalar}", &rest[..digits]);
        }
        part.to_owned()
    };
    name.split('.').map(part).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mw_air::Scalar;

    #[test]
    fn scalar_names_drop_vector_lengths_only() {
        assert_eq!(scalar_name("llvm.fma.v4f32"), "llvm.fma.f32");
        assert_eq!(scalar_name("air.simd_shuffle.u.v2i32"), "air.simd_shuffle.u.i32");
        assert_eq!(scalar_name("llvm.fptosi.sat.v4i32.v4f32"), "llvm.fptosi.sat.i32.f32");
        assert_eq!(
            scalar_name("air.load.device_coherent.v4f32.p1v4f32"),
            "air.load.device_coherent.f32.p1f32"
        );
        assert_eq!(scalar_name("air.simd_vote_all.i64"), "air.simd_vote_all.i64");
    }

    #[test]
    fn leaves_of_nested_types_carry_their_offsets() {
        let ty = Type::literal_struct(vec![Type::I8, Type::array(Type::Vector(Scalar::Float, 3), 2)]);
        let offsets: Vec<u64> = leaves(&ty).unwrap().into_iter().map(|(_, offset)| offset).collect();
        assert_eq!(offsets, [0, 16, 20, 24, 32, 36, 40]);
        assert_eq!(leaf_range(&ty, &[1, 1]).unwrap(), (4, 3));
    }
}
