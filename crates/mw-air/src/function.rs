//! Functions: their values, instructions, blocks and attributes.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{
    BlockId, Constant, Inst, InstId, LocationId, MdId, SubprogramId, Terminator, Type, TypedConstant, ValueId,
};

/// Return and parameter types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// What it returns.
    pub ret: Type,
    /// What it takes.
    pub params: Vec<Type>,
    /// Takes more arguments than it lists.
    pub varargs: bool,
}

/// One attribute of a function, return value or parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Attribute {
    /// `nounwind`, `convergent`.
    Enum(Arc<str>),
    /// `align 4`, `dereferenceable(16)`; `memory` holds LLVM's encoding of the effects.
    Int(Arc<str>, u64),
    /// `"max-work-group-size"="32"`.
    String(Arc<str>, Arc<str>),
    /// `sret(%struct.s)`.
    Type(Arc<str>, Type),
}

/// A set of attributes in the order in which they were read.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Attributes(pub Vec<Attribute>);

impl Attributes {
    /// Whether the enum attribute `name` is there.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|attribute| matches!(attribute, Attribute::Enum(n) if &**n == name))
    }

    /// Value of the integer attribute `name`.
    pub fn int(&self, name: &str) -> Option<u64> {
        self.0.iter().find_map(|attribute| match attribute {
            Attribute::Int(n, value) if &**n == name => Some(*value),
            _ => None,
        })
    }

    /// Value of the string attribute `name`.
    pub fn string(&self, name: &str) -> Option<&str> {
        self.0.iter().find_map(|attribute| match attribute {
            Attribute::String(n, value) if &**n == name => Some(&**value),
            _ => None,
        })
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Linkage, as far as modules of kernels have it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "LLVM's own names")]
pub enum Linkage {
    External,
    Internal,
    Private,
    WeakOdr,
    Weak,
    LinkOnceOdr,
    LinkOnce,
    Appending,
    Common,
    AvailableExternally,
    ExternWeak,
}

/// Where a value comes from.
#[derive(Clone, PartialEq, Debug)]
pub enum ValueDef {
    /// Parameter by position.
    Param(u32),
    /// Result of an instruction.
    Inst(InstId),
    /// Constant.
    Const(Constant),
}

/// A value: its type and where it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueData {
    /// Type of the value.
    pub ty: Type,
    /// Definition.
    pub def: ValueDef,
}

/// An instruction in a function's table.
#[derive(Clone, PartialEq, Debug)]
pub struct InstData {
    /// The operation.
    pub inst: Inst,
    /// Its result; `None` when it gives none (stores, calls of `void` functions).
    pub result: Option<ValueId>,
    /// Attached metadata by kind name (`range`, `alias.scope`, …): promises, not truth.
    pub metadata: Vec<(Arc<str>, MdId)>,
    /// Where it comes from, in the module's [`DebugInfo`](crate::DebugInfo).
    pub location: Option<LocationId>,
}

/// A basic block.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Instructions in order; φ-functions come first.
    pub insts: Vec<InstId>,
    /// How it ends.
    pub terminator: Terminator,
    /// Metadata of the terminator (`llvm.loop`).
    pub metadata: Vec<(Arc<str>, MdId)>,
    /// Where the terminator comes from.
    pub location: Option<LocationId>,
}

/// A function: a declaration when it has no blocks.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Symbol name.
    pub name: Arc<str>,
    /// Type.
    pub ty: FunctionType,
    /// Linkage.
    pub linkage: Linkage,
    /// Calling convention, LLVM's number (0 C, 8 fast).
    pub calling_convention: u32,
    /// Section, such as `air.static_init`.
    pub section: Option<Arc<str>>,
    /// `unnamed_addr`: 0 none, 1 global, 2 local.
    pub unnamed_addr: u8,
    /// Attributes of the function itself.
    pub attrs: Attributes,
    /// Attributes of the return value.
    pub ret_attrs: Attributes,
    /// Attributes of each parameter; as long as the parameter list, or empty when none has any.
    pub param_attrs: Vec<Attributes>,
    /// Attached metadata.
    pub metadata: Vec<(Arc<str>, MdId)>,
    /// The function of the source that it is.
    pub subprogram: Option<SubprogramId>,
    /// Blocks; the first is the entry. Empty for a declaration.
    pub blocks: Vec<Block>,
    /// All values; parameters come first.
    values: Vec<ValueData>,
    /// All instructions, in no particular order: blocks hold the order.
    insts: Vec<InstData>,
    constants: FxHashMap<TypedConstant, ValueId>,
}

impl Function {
    /// A function without blocks.
    pub fn new(name: &str, ty: FunctionType) -> Self {
        let values = ty
            .params
            .iter()
            .enumerate()
            .map(|(index, ty)| ValueData { ty: ty.clone(), def: ValueDef::Param(index as u32) })
            .collect();
        Self {
            name: name.into(),
            ty,
            linkage: Linkage::External,
            calling_convention: 0,
            section: None,
            unnamed_addr: 0,
            attrs: Attributes::default(),
            ret_attrs: Attributes::default(),
            param_attrs: Vec::new(),
            metadata: Vec::new(),
            subprogram: None,
            blocks: Vec::new(),
            values,
            insts: Vec::new(),
            constants: FxHashMap::default(),
        }
    }

    /// Whether it has no body.
    pub fn is_declaration(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The entry block.
    pub const ENTRY: BlockId = BlockId(0);

    /// Value of parameter `index`.
    pub fn param(&self, index: usize) -> ValueId {
        debug_assert!(index < self.ty.params.len());
        ValueId::new(index)
    }

    /// All values.
    pub fn values(&self) -> &[ValueData] {
        &self.values
    }

    /// One value.
    pub fn value(&self, value: ValueId) -> &ValueData {
        &self.values[value.index()]
    }

    /// Type of a value.
    pub fn value_type(&self, value: ValueId) -> &Type {
        &self.values[value.index()].ty
    }

    /// One instruction.
    pub fn inst(&self, inst: InstId) -> &InstData {
        &self.insts[inst.index()]
    }

    /// One instruction, to change it.
    pub fn inst_mut(&mut self, inst: InstId) -> &mut InstData {
        &mut self.insts[inst.index()]
    }

    /// Number of instructions ever made (blocks may hold fewer).
    pub fn inst_count(&self) -> usize {
        self.insts.len()
    }

    /// One block.
    pub fn block(&self, block: BlockId) -> &Block {
        &self.blocks[block.index()]
    }

    /// One block, to change it.
    pub fn block_mut(&mut self, block: BlockId) -> &mut Block {
        &mut self.blocks[block.index()]
    }

    /// Handles of all blocks in order.
    pub fn block_ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len()).map(BlockId::new)
    }

    /// The instruction that defines `value`, if one does.
    pub fn defining_inst(&self, value: ValueId) -> Option<InstId> {
        match self.values[value.index()].def {
            ValueDef::Inst(inst) => Some(inst),
            ValueDef::Param(_) | ValueDef::Const(_) => None,
        }
    }

    /// The constant that `value` is, if it is one.
    pub fn constant(&self, value: ValueId) -> Option<&Constant> {
        match &self.values[value.index()].def {
            ValueDef::Const(constant) => Some(constant),
            ValueDef::Param(_) | ValueDef::Inst(_) => None,
        }
    }

    /// The constant with its type.
    pub fn typed_constant(&self, value: ValueId) -> Option<TypedConstant> {
        let data = self.value(value);
        match &data.def {
            ValueDef::Const(constant) => Some(TypedConstant { ty: data.ty.clone(), value: constant.clone() }),
            ValueDef::Param(_) | ValueDef::Inst(_) => None,
        }
    }

    /// The integer that `value` is, if it is a constant integer.
    pub fn as_int(&self, value: ValueId) -> Option<u64> {
        match self.constant(value)? {
            Constant::Int(bits) => Some(*bits),
            Constant::Zero if self.value_type(value).is_int() => Some(0),
            _ => None,
        }
    }

    /// The value of a constant; equal constants share one.
    pub fn add_constant(&mut self, constant: TypedConstant) -> ValueId {
        if let Some(value) = self.constants.get(&constant) {
            return *value;
        }
        let value = ValueId::new(self.values.len());
        self.values.push(ValueData { ty: constant.ty.clone(), def: ValueDef::Const(constant.value.clone()) });
        self.constants.insert(constant, value);
        value
    }

    /// An integer constant of type `ty` (a scalar).
    pub fn const_int(&mut self, ty: Type, value: u64) -> ValueId {
        self.add_constant(TypedConstant::int(ty, value))
    }

    /// A float constant of type `ty` (a scalar) by its bits.
    pub fn const_float_bits(&mut self, ty: Type, bits: u64) -> ValueId {
        self.add_constant(TypedConstant { ty, value: Constant::Float(bits) })
    }

    /// Appends an empty block that ends in `unreachable` until its terminator is set.
    pub fn add_block(&mut self) -> BlockId {
        let block = BlockId::new(self.blocks.len());
        self.blocks.push(Block {
            insts: Vec::new(),
            terminator: Terminator::Unreachable,
            metadata: Vec::new(),
            location: None,
        });
        block
    }

    /// Makes an instruction without placing it; `ty` is the type of its result, `Void` for none.
    pub fn make_inst(&mut self, inst: Inst, ty: Type) -> InstId {
        let id = InstId::new(self.insts.len());
        let result = (ty != Type::Void).then(|| {
            let value = ValueId::new(self.values.len());
            self.values.push(ValueData { ty, def: ValueDef::Inst(id) });
            value
        });
        self.insts.push(InstData { inst, result, metadata: Vec::new(), location: None });
        id
    }

    /// A value whose instruction comes later, by [`Self::define_inst`].
    pub(crate) fn reserve_value(&mut self, ty: Type) -> ValueId {
        self.values.push(ValueData { ty, def: ValueDef::Inst(InstId(u32::MAX)) });
        ValueId::new(self.values.len() - 1)
    }

    /// Makes an instruction without placing it; its result was reserved.
    pub(crate) fn define_inst(&mut self, inst: Inst, result: Option<ValueId>) -> InstId {
        let id = InstId::new(self.insts.len());
        if let Some(result) = result {
            self.values[result.index()].def = ValueDef::Inst(id);
        }
        self.insts.push(InstData { inst, result, metadata: Vec::new(), location: None });
        id
    }

    /// Makes an instruction at the end of `block` and gives its result.
    pub fn push_inst(&mut self, block: BlockId, inst: Inst, ty: Type) -> Option<ValueId> {
        let id = self.make_inst(inst, ty);
        self.blocks[block.index()].insts.push(id);
        self.insts[id.index()].result
    }

    /// Changes the definition of every constant, for moving a function between modules: `map` gets each
    /// constant and returns what it becomes.
    pub fn map_constants(&mut self, mut map: impl FnMut(TypedConstant) -> TypedConstant) {
        self.constants.clear();
        for index in 0..self.values.len() {
            if let ValueDef::Const(constant) = &self.values[index].def {
                let old = TypedConstant { ty: self.values[index].ty.clone(), value: constant.clone() };
                let new = map(old);
                self.values[index] =
                    ValueData { ty: new.ty.clone(), def: ValueDef::Const(new.value.clone()) };
                self.constants.insert(new, ValueId::new(index));
            }
        }
    }

    /// Forgets where the code comes from.
    pub fn strip_debug(&mut self) {
        self.subprogram = None;
        for block in &mut self.blocks {
            block.location = None;
        }
        for inst in &mut self.insts {
            inst.location = None;
        }
    }

    /// Replaces every use of `from` by `to` in placed instructions and terminators.
    pub fn replace_uses(&mut self, from: ValueId, to: ValueId) {
        let swap = |value| if value == from { to } else { value };
        for inst in &mut self.insts {
            inst.inst.map_operands(swap);
        }
        for block in &mut self.blocks {
            block.terminator.map_operand(swap);
        }
    }
}
