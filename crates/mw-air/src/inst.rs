//! Instructions and terminators.

use crate::{AddressSpace, BlockId, FuncId, FunctionType, Type, ValueId};

/// Two-operand arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Integer addition.
    Add,
    /// Integer subtraction.
    Sub,
    /// Integer multiplication.
    Mul,
    /// Unsigned division.
    UDiv,
    /// Signed division.
    SDiv,
    /// Unsigned remainder.
    URem,
    /// Signed remainder.
    SRem,
    /// Shift left.
    Shl,
    /// Logical shift right.
    LShr,
    /// Arithmetic shift right.
    AShr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Floating-point addition.
    FAdd,
    /// Floating-point subtraction.
    FSub,
    /// Floating-point multiplication.
    FMul,
    /// Floating-point division.
    FDiv,
    /// Floating-point remainder, sign of the dividend.
    FRem,
}

impl BinaryOp {
    /// LLVM's mnemonic.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::UDiv => "udiv",
            Self::SDiv => "sdiv",
            Self::URem => "urem",
            Self::SRem => "srem",
            Self::Shl => "shl",
            Self::LShr => "lshr",
            Self::AShr => "ashr",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::FAdd => "fadd",
            Self::FSub => "fsub",
            Self::FMul => "fmul",
            Self::FDiv => "fdiv",
            Self::FRem => "frem",
        }
    }

    /// Whether the operands are floating-point.
    pub fn is_float(self) -> bool {
        matches!(self, Self::FAdd | Self::FSub | Self::FMul | Self::FDiv | Self::FRem)
    }

    /// Flags that the operation may carry.
    pub fn allowed_flags(self) -> Flags {
        match self {
            Self::Add | Self::Sub | Self::Mul | Self::Shl => Flags::NUW.union(Flags::NSW),
            Self::UDiv | Self::SDiv | Self::LShr | Self::AShr => Flags::EXACT,
            Self::Or => Flags::DISJOINT,
            Self::URem | Self::SRem | Self::And | Self::Xor => Flags::NONE,
            Self::FAdd | Self::FSub | Self::FMul | Self::FDiv | Self::FRem => Flags::FAST,
        }
    }
}

/// Conversions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    /// Drop upper bits.
    Trunc,
    /// Extend with zeros.
    ZExt,
    /// Extend with the sign.
    SExt,
    /// Narrower floating-point format.
    FpTrunc,
    /// Wider floating-point format.
    FpExt,
    /// Float to unsigned integer.
    FpToUi,
    /// Float to signed integer.
    FpToSi,
    /// Unsigned integer to float.
    UiToFp,
    /// Signed integer to float.
    SiToFp,
    /// Same bits, other type.
    Bitcast,
    /// Pointer to integer.
    PtrToInt,
    /// Integer to pointer.
    IntToPtr,
    /// Pointer into another address space.
    AddrSpaceCast,
}

impl CastOp {
    /// LLVM's mnemonic.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trunc => "trunc",
            Self::ZExt => "zext",
            Self::SExt => "sext",
            Self::FpTrunc => "fptrunc",
            Self::FpExt => "fpext",
            Self::FpToUi => "fptoui",
            Self::FpToSi => "fptosi",
            Self::UiToFp => "uitofp",
            Self::SiToFp => "sitofp",
            Self::Bitcast => "bitcast",
            Self::PtrToInt => "ptrtoint",
            Self::IntToPtr => "inttoptr",
            Self::AddrSpaceCast => "addrspacecast",
        }
    }

    /// Flags that the conversion may carry.
    pub fn allowed_flags(self) -> Flags {
        match self {
            Self::Trunc => Flags::NUW.union(Flags::NSW),
            Self::ZExt | Self::UiToFp => Flags::NNEG,
            Self::FpTrunc | Self::FpExt => Flags::FAST,
            Self::SExt
            | Self::FpToUi
            | Self::FpToSi
            | Self::SiToFp
            | Self::Bitcast
            | Self::PtrToInt
            | Self::IntToPtr
            | Self::AddrSpaceCast => Flags::NONE,
        }
    }
}

/// Integer comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "LLVM's own names")]
pub enum IntPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

impl IntPredicate {
    /// LLVM's mnemonic.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Ugt => "ugt",
            Self::Uge => "uge",
            Self::Ult => "ult",
            Self::Ule => "ule",
            Self::Sgt => "sgt",
            Self::Sge => "sge",
            Self::Slt => "slt",
            Self::Sle => "sle",
        }
    }
}

/// Floating-point comparisons: `O…` are false and `U…` are true when an operand is NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "LLVM's own names")]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

impl FloatPredicate {
    /// LLVM's mnemonic.
    pub fn name(self) -> &'static str {
        match self {
            Self::False => "false",
            Self::Oeq => "oeq",
            Self::Ogt => "ogt",
            Self::Oge => "oge",
            Self::Olt => "olt",
            Self::Ole => "ole",
            Self::One => "one",
            Self::Ord => "ord",
            Self::Uno => "uno",
            Self::Ueq => "ueq",
            Self::Ugt => "ugt",
            Self::Uge => "uge",
            Self::Ult => "ult",
            Self::Ule => "ule",
            Self::Une => "une",
            Self::True => "true",
        }
    }
}

/// Promises about an operation, as LLVM spells them. A broken promise makes the result poison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags(pub u16);

impl Flags {
    /// None.
    pub const NONE: Self = Self(0);
    /// No unsigned wrap (`nuw`).
    pub const NUW: Self = Self(1);
    /// No signed wrap (`nsw`).
    pub const NSW: Self = Self(1 << 1);
    /// Division or right shift without remainder.
    pub const EXACT: Self = Self(1 << 2);
    /// `or` of operands without common bits.
    pub const DISJOINT: Self = Self(1 << 3);
    /// `zext`/`uitofp` of a value that is not negative.
    pub const NNEG: Self = Self(1 << 4);
    /// `icmp` of operands with equal sign.
    pub const SAMESIGN: Self = Self(1 << 5);
    /// Address arithmetic that stays inside its object.
    pub const INBOUNDS: Self = Self(1 << 6);
    /// No NaN.
    pub const NNAN: Self = Self(1 << 7);
    /// No infinity.
    pub const NINF: Self = Self(1 << 8);
    /// The sign of zero does not matter.
    pub const NSZ: Self = Self(1 << 9);
    /// Reciprocals may replace divisions.
    pub const ARCP: Self = Self(1 << 10);
    /// Multiplication and addition may fuse.
    pub const CONTRACT: Self = Self(1 << 11);
    /// Approximate library functions are allowed.
    pub const AFN: Self = Self(1 << 12);
    /// Reassociation is allowed.
    pub const REASSOC: Self = Self(1 << 13);
    /// No unsigned-signed wrap of address arithmetic (`nusw`).
    pub const NUSW: Self = Self(1 << 14);
    /// All seven fast-math flags.
    pub const FAST: Self = Self(0b111_1111 << 7);

    /// Whether all of `other` are set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These flags without `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// Memory orderings of LLVM's atomic instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "LLVM's own names")]
pub enum AtomicOrdering {
    Unordered,
    Monotonic,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl AtomicOrdering {
    /// LLVM's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unordered => "unordered",
            Self::Monotonic => "monotonic",
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcqRel => "acq_rel",
            Self::SeqCst => "seq_cst",
        }
    }
}

/// Operations of `atomicrmw`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "LLVM's own names")]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
}

impl RmwOp {
    /// LLVM's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xchg => "xchg",
            Self::Add => "add",
            Self::Sub => "sub",
            Self::And => "and",
            Self::Nand => "nand",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Max => "max",
            Self::Min => "min",
            Self::UMax => "umax",
            Self::UMin => "umin",
            Self::FAdd => "fadd",
            Self::FSub => "fsub",
            Self::FMax => "fmax",
            Self::FMin => "fmin",
        }
    }
}

/// What a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// A function of the module.
    Function(FuncId),
    /// A pointer, for instance out of a visible function table.
    Value(ValueId),
}

/// An instruction that is not a terminator. Its result type stands in the function's value table.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "fields are the operands, named as LLVM names them")]
pub enum Inst {
    /// `lhs op rhs`, element by element on vectors.
    Binary { op: BinaryOp, lhs: ValueId, rhs: ValueId, flags: Flags },
    /// Sign flip.
    FNeg { value: ValueId, flags: Flags },
    /// Conversion to the result's type.
    Cast { op: CastOp, value: ValueId, flags: Flags },
    /// Integer or pointer comparison.
    ICmp { predicate: IntPredicate, lhs: ValueId, rhs: ValueId, flags: Flags },
    /// Floating-point comparison.
    FCmp { predicate: FloatPredicate, lhs: ValueId, rhs: ValueId, flags: Flags },
    /// `condition ? on_true : on_false`; a vector condition chooses element by element.
    Select { condition: ValueId, on_true: ValueId, on_false: ValueId, flags: Flags },
    /// The operand, with undefined bits fixed to one value.
    Freeze { value: ValueId },
    /// Value by predecessor.
    Phi { incoming: Vec<(BlockId, ValueId)>, flags: Flags },
    /// One element of a vector.
    ExtractElement { vector: ValueId, index: ValueId },
    /// The vector with one element replaced.
    InsertElement { vector: ValueId, element: ValueId, index: ValueId },
    /// Elements of two vectors by constant position; -1 chooses poison.
    ShuffleVector { first: ValueId, second: ValueId, mask: Vec<i32> },
    /// A member of an aggregate.
    ExtractValue { aggregate: ValueId, indices: Vec<u32> },
    /// The aggregate with a member replaced.
    InsertValue { aggregate: ValueId, element: ValueId, indices: Vec<u32> },
    /// Private memory of the thread: `count` (default 1) elements of `ty`.
    Alloca { ty: Type, count: Option<ValueId>, align: u32, space: AddressSpace },
    /// Read memory.
    Load { ptr: ValueId, align: u32, volatile: bool, ordering: Option<AtomicOrdering> },
    /// Write memory.
    Store { ptr: ValueId, value: ValueId, align: u32, volatile: bool, ordering: Option<AtomicOrdering> },
    /// Address arithmetic.
    Gep { source: Type, base: ValueId, indices: Vec<ValueId>, flags: Flags },
    /// Function call.
    Call(Box<Call>),
    /// Read, combine, write, as one step; gives the old value.
    AtomicRmw {
        op: RmwOp,
        ptr: ValueId,
        value: ValueId,
        ordering: AtomicOrdering,
        align: u32,
        volatile: bool,
    },
    /// Compare and exchange; gives `{ old, success }`.
    CmpXchg {
        ptr: ValueId,
        expected: ValueId,
        new: ValueId,
        success: AtomicOrdering,
        failure: AtomicOrdering,
        align: u32,
        weak: bool,
        volatile: bool,
    },
    /// Memory fence.
    Fence { ordering: AtomicOrdering },
}

/// A call. See [`Inst::Call`].
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// Function or pointer.
    pub callee: Callee,
    /// Type of the callee.
    pub ty: FunctionType,
    /// Arguments.
    pub args: Vec<ValueId>,
    /// Attributes of the call site's function, return value and arguments.
    pub attrs: crate::Attributes,
    /// Return attributes.
    pub ret_attrs: crate::Attributes,
    /// Attributes of each argument; shorter than `args` when the rest has none.
    pub arg_attrs: Vec<crate::Attributes>,
    /// Calling convention, LLVM's number.
    pub calling_convention: u32,
    /// `tail` marker: 0 none, 1 tail, 2 musttail, 3 notail.
    pub tail: u8,
    /// Fast-math flags.
    pub flags: Flags,
}

impl Inst {
    /// Calls `visit` on each value operand, in a fixed order.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ValueId)) {
        match self {
            Self::Binary { lhs, rhs, .. } | Self::ICmp { lhs, rhs, .. } | Self::FCmp { lhs, rhs, .. } => {
                visit(*lhs);
                visit(*rhs);
            }
            Self::FNeg { value, .. } | Self::Cast { value, .. } | Self::Freeze { value } => visit(*value),
            Self::Select { condition, on_true, on_false, .. } => {
                visit(*condition);
                visit(*on_true);
                visit(*on_false);
            }
            Self::Phi { incoming, .. } => incoming.iter().for_each(|(_, value)| visit(*value)),
            Self::ExtractElement { vector, index } => {
                visit(*vector);
                visit(*index);
            }
            Self::InsertElement { vector, element, index } => {
                visit(*vector);
                visit(*element);
                visit(*index);
            }
            Self::ShuffleVector { first, second, .. } => {
                visit(*first);
                visit(*second);
            }
            Self::ExtractValue { aggregate, .. } => visit(*aggregate),
            Self::InsertValue { aggregate, element, .. } => {
                visit(*aggregate);
                visit(*element);
            }
            Self::Alloca { count, .. } => count.iter().for_each(|count| visit(*count)),
            Self::Load { ptr, .. } => visit(*ptr),
            Self::Store { ptr, value, .. } | Self::AtomicRmw { ptr, value, .. } => {
                visit(*ptr);
                visit(*value);
            }
            Self::Gep { base, indices, .. } => {
                visit(*base);
                for index in indices {
                    visit(*index);
                }
            }
            Self::Call(call) => {
                if let Callee::Value(callee) = call.callee {
                    visit(callee);
                }
                call.args.iter().for_each(|arg| visit(*arg));
            }
            Self::CmpXchg { ptr, expected, new, .. } => {
                visit(*ptr);
                visit(*expected);
                visit(*new);
            }
            Self::Fence { .. } => {}
        }
    }

    /// The value operands, in the order of [`Self::for_each_operand`].
    pub fn operands(&self) -> Vec<ValueId> {
        let mut list = Vec::new();
        self.for_each_operand(|operand| list.push(operand));
        list
    }

    /// Replaces each value operand by what `map` makes of it, in the order of [`Self::for_each_operand`].
    pub fn map_operands(&mut self, mut map: impl FnMut(ValueId) -> ValueId) {
        let mut visit = |value: &mut ValueId| *value = map(*value);
        match self {
            Self::Binary { lhs, rhs, .. } | Self::ICmp { lhs, rhs, .. } | Self::FCmp { lhs, rhs, .. } => {
                visit(lhs);
                visit(rhs);
            }
            Self::FNeg { value, .. } | Self::Cast { value, .. } | Self::Freeze { value } => visit(value),
            Self::Select { condition, on_true, on_false, .. } => {
                visit(condition);
                visit(on_true);
                visit(on_false);
            }
            Self::Phi { incoming, .. } => incoming.iter_mut().for_each(|(_, value)| visit(value)),
            Self::ExtractElement { vector, index } => {
                visit(vector);
                visit(index);
            }
            Self::InsertElement { vector, element, index } => {
                visit(vector);
                visit(element);
                visit(index);
            }
            Self::ShuffleVector { first, second, .. } => {
                visit(first);
                visit(second);
            }
            Self::ExtractValue { aggregate, .. } => visit(aggregate),
            Self::InsertValue { aggregate, element, .. } => {
                visit(aggregate);
                visit(element);
            }
            Self::Alloca { count, .. } => count.iter_mut().for_each(visit),
            Self::Load { ptr, .. } => visit(ptr),
            Self::Store { ptr, value, .. } | Self::AtomicRmw { ptr, value, .. } => {
                visit(ptr);
                visit(value);
            }
            Self::Gep { base, indices, .. } => {
                visit(base);
                indices.iter_mut().for_each(visit);
            }
            Self::Call(call) => {
                if let Callee::Value(callee) = &mut call.callee {
                    visit(callee);
                }
                call.args.iter_mut().for_each(visit);
            }
            Self::CmpXchg { ptr, expected, new, .. } => {
                visit(ptr);
                visit(expected);
                visit(new);
            }
            Self::Fence { .. } => {}
        }
    }
}

/// How a block ends.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "fields are the operands, named as LLVM names them")]
pub enum Terminator {
    /// Return, with a value unless the function returns `void`.
    Ret(Option<ValueId>),
    /// Jump.
    Br(BlockId),
    /// Two-way branch on an `i1`.
    CondBr { condition: ValueId, on_true: BlockId, on_false: BlockId },
    /// Multi-way branch; cases hold zero-extended integers.
    Switch { value: ValueId, default: BlockId, cases: Vec<(u64, BlockId)> },
    /// Never reached.
    Unreachable,
}

impl Terminator {
    /// Successor blocks in order, with repetitions.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Self::Ret(_) | Self::Unreachable => Vec::new(),
            Self::Br(target) => vec![*target],
            Self::CondBr { on_true, on_false, .. } => vec![*on_true, *on_false],
            Self::Switch { default, cases, .. } => {
                std::iter::once(*default).chain(cases.iter().map(|(_, block)| *block)).collect()
            }
        }
    }

    /// Replaces each successor.
    pub fn map_successors(&mut self, mut map: impl FnMut(BlockId) -> BlockId) {
        match self {
            Self::Ret(_) | Self::Unreachable => {}
            Self::Br(target) => *target = map(*target),
            Self::CondBr { on_true, on_false, .. } => {
                *on_true = map(*on_true);
                *on_false = map(*on_false);
            }
            Self::Switch { default, cases, .. } => {
                *default = map(*default);
                for (_, block) in cases {
                    *block = map(*block);
                }
            }
        }
    }

    /// The value that decides or is returned, if there is one.
    pub fn operand(&self) -> Option<ValueId> {
        match self {
            Self::Ret(value) => *value,
            Self::CondBr { condition, .. } => Some(*condition),
            Self::Switch { value, .. } => Some(*value),
            Self::Br(_) | Self::Unreachable => None,
        }
    }

    /// Replaces the value operand.
    pub fn map_operand(&mut self, mut map: impl FnMut(ValueId) -> ValueId) {
        match self {
            Self::Ret(Some(value)) | Self::CondBr { condition: value, .. } | Self::Switch { value, .. } => {
                *value = map(*value);
            }
            Self::Ret(None) | Self::Br(_) | Self::Unreachable => {}
        }
    }
}
