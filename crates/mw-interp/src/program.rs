//! The decoded form of a module: scalar operations on dense registers.
//!
//! Vectors, structures and arrays do not exist here. A value of `n` scalars is a list of `n` registers, so
//! that taking a value apart, putting it together and shuffling it cost nothing at run time: they only
//! choose registers. (An SSA value is computed before everything that it dominates, so that a register may
//! stand for several values.) A register holds one scalar for each of 32 lanes.

use mw_air::{BlockId, FloatPredicate, FuncId, InstId, IntPredicate};

use crate::number::{FloatOp, FloatOp1, Format, IntOp, IntOp1};
use crate::shadow::Shadowed;

/// Number of lanes of a simdgroup.
pub(crate) const LANES: usize = 32;

/// One scalar for each lane.
pub(crate) type Row = [u64; LANES];

/// A register: of the current frame, or of the constant table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Reg(pub(crate) u32);

impl Reg {
    const CONSTANT: u32 = 1 << 31;

    pub(crate) fn frame(index: usize) -> Self {
        Self(index as u32)
    }

    pub(crate) fn constant(index: usize) -> Self {
        Self(index as u32 | Self::CONSTANT)
    }

    /// Position in the constant table, or else in the frame.
    #[inline(always)]
    pub(crate) fn place(self) -> Result<usize, usize> {
        if self.0 & Self::CONSTANT == 0 {
            Ok(self.0 as usize)
        } else {
            Err((self.0 & !Self::CONSTANT) as usize)
        }
    }
}

/// A span of [`FunctionCode::lists`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct List {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// Two-operand combination of a collective or an atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Combine {
    Int(IntOp, u8),
    Float(FloatOp, Format),
    /// The left operand: nothing is written.
    Keep,
    /// The right operand.
    Exchange,
    /// `!(x & y)`.
    Nand(u8),
}

/// Where a shuffle takes its values from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShuffleKind {
    Index,
    Xor,
    Up,
    Down,
    RotateUp,
    RotateDown,
    FillUp,
    FillDown,
    First,
}

/// What a vote says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VoteKind {
    Any,
    All,
    /// Bit per active lane with a true operand.
    Ballot,
    /// Whether the operand, a ballot, has all active lanes.
    MaskAll,
    /// Whether the operand, a ballot, has an active lane.
    MaskAny,
    /// Whether this is the lowest active lane.
    IsFirst,
    /// Whether all active lanes have the same operand.
    IsUniform,
}

/// Bit operations on the sign of a float.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SignOp {
    Negate,
    Absolute,
    Copy,
}

/// How an operand of a matrix product is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MatrixFormats {
    pub(crate) left: Format,
    pub(crate) right: Format,
    pub(crate) addend: Format,
    pub(crate) result: Format,
}

/// One operation. Names of fields: `dst` the result, `a`, `b`, `c` operands in order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Int2 {
        op: IntOp,
        bits: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Int1 {
        op: IntOp1,
        bits: u8,
        dst: Reg,
        a: Reg,
    },
    Funnel {
        left: bool,
        bits: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Float2 {
        op: FloatOp,
        format: Format,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Float1 {
        op: FloatOp1,
        format: Format,
        dst: Reg,
        a: Reg,
    },
    Fma {
        format: Format,
        dst: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Sign {
        op: SignOp,
        bits: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    IntCompare {
        predicate: IntPredicate,
        bits: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    FloatCompare {
        predicate: FloatPredicate,
        format: Format,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Select {
        dst: Reg,
        condition: Reg,
        a: Reg,
        b: Reg,
    },
    /// The operand, taken as defined.
    Freeze {
        dst: Reg,
        a: Reg,
    },
    Truncate {
        bits: u8,
        dst: Reg,
        a: Reg,
    },
    SignExtend {
        from: u8,
        to: u8,
        dst: Reg,
        a: Reg,
    },
    FloatToFloat {
        from: Format,
        to: Format,
        dst: Reg,
        a: Reg,
    },
    FloatToInt {
        format: Format,
        bits: u8,
        signed: bool,
        dst: Reg,
        a: Reg,
    },
    IntToFloat {
        bits: u8,
        signed: bool,
        format: Format,
        dst: Reg,
        a: Reg,
    },
    /// `base + offset + index * stride`, the index sign-extended from `bits`.
    Index {
        bits: u8,
        dst: Reg,
        base: Reg,
        index: Reg,
        stride: i64,
        offset: i64,
    },
    Offset {
        dst: Reg,
        base: Reg,
        offset: i64,
    },
    /// Private memory of the frame, made undefined.
    Alloca {
        dst: Reg,
        offset: u32,
        size: u32,
    },
    /// Private memory beyond the frame's own.
    AllocaDynamic {
        dst: Reg,
        count: Reg,
        size: u32,
        align: u32,
    },
    Load {
        dst: Reg,
        ptr: Reg,
        offset: u32,
        size: u8,
        bits: u8,
    },
    Store {
        value: Reg,
        ptr: Reg,
        offset: u32,
        size: u8,
    },
    Call {
        function: u32,
        args: List,
        results: List,
    },
    CallPointer {
        pointer: Reg,
        args: List,
        results: List,
    },
    MemCopy {
        dst: Reg,
        src: Reg,
        len: Reg,
    },
    MemSet {
        dst: Reg,
        value: Reg,
        len: Reg,
    },
    Barrier,
    Atomic {
        op: Combine,
        size: u8,
        dst: Option<Reg>,
        ptr: Reg,
        value: Reg,
    },
    /// `expected` holds the value, or (`expected_by_pointer`) its address, through which the old value is
    /// written back.
    CompareExchange {
        size: u8,
        dst: Reg,
        success: Option<Reg>,
        ptr: Reg,
        expected: Reg,
        desired: Reg,
        by_pointer: bool,
    },
    Reduce {
        op: Combine,
        neutral: Reg,
        group: u8,
        dst: Reg,
        a: Reg,
    },
    Prefix {
        op: Combine,
        neutral: Reg,
        first: Reg,
        inclusive: bool,
        group: u8,
        dst: Reg,
        a: Reg,
    },
    /// `list` holds value, index or distance, fill, modulo, as far as the kind needs them.
    Shuffle {
        kind: ShuffleKind,
        group: u8,
        dst: Reg,
        list: List,
    },
    Vote {
        kind: VoteKind,
        group: u8,
        dst: Reg,
        a: Reg,
    },
    LaneIndex {
        dst: Reg,
    },
    /// `list`: two results, pointer, stride of columns, stride of rows, origin column, origin row.
    MatrixLoad {
        size: u8,
        list: List,
    },
    /// `list`: two elements, then as for a load.
    MatrixStore {
        size: u8,
        list: List,
    },
    /// `list`: two results, then two elements of each operand.
    MatrixMultiply {
        formats: MatrixFormats,
        list: List,
    },
    /// `list`: two results, the value.
    MatrixFill {
        diagonal: bool,
        list: List,
    },
    /// `list`: element size, target, source, count.
    AsyncCopy1d {
        list: List,
    },
    /// `list`: element size, target, target row, target stride, target width, target height, source, source
    /// row, source stride, source width, source height, offset in x and y, clamp mode.
    AsyncCopy2d {
        list: List,
    },
    /// Tells the observer the value of the instruction before; only in traced kernels.
    Tell {
        list: List,
    },
    /// Something that only fails when it is reached; indexes [`Program::unsupported`].
    Unsupported {
        feature: u32,
    },
    Jump {
        edge: u32,
    },
    Branch {
        condition: Reg,
        on_true: u32,
        on_false: u32,
    },
    Switch {
        value: Reg,
        table: u32,
    },
    Return {
        list: List,
    },
    Unreachable,
}

/// A control-flow edge with the moves of the target's φ-functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Position of the target in [`FunctionCode::blocks`].
    pub(crate) target: u32,
    /// Span of [`FunctionCode::moves`].
    pub(crate) start: u32,
    pub(crate) len: u32,
    /// A move reads what an earlier one writes: all reads come first.
    pub(crate) parallel: bool,
}

/// A move of an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) dst: Reg,
    pub(crate) src: Reg,
}

/// Cases of a switch, each with its edge.
#[derive(Clone, Debug)]
pub(crate) struct SwitchTable {
    pub(crate) default: u32,
    pub(crate) cases: Vec<(u64, u32)>,
}

/// A block in convergence order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockCode {
    pub(crate) id: BlockId,
    /// First operation; the terminator is the last before the next block's first.
    pub(crate) start: u32,
    /// Number of operations, those that only tell apart.
    pub(crate) len: u32,
}

/// A decoded function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionCode {
    pub(crate) id: FuncId,
    /// Registers of a frame; the parameters' come first.
    pub(crate) registers: u32,
    /// Scalars of all parameters.
    pub(crate) params: u32,
    /// Scalars of the result.
    pub(crate) results: u32,
    /// Bytes of private memory that the entry block reserves.
    pub(crate) private: u32,
    pub(crate) ops: Vec<Op>,
    /// The instruction of each operation; `None` for terminators.
    pub(crate) origin: Vec<Option<InstId>>,
    pub(crate) blocks: Vec<BlockCode>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) moves: Vec<Move>,
    pub(crate) lists: Vec<Reg>,
    pub(crate) switches: Vec<SwitchTable>,
}

impl FunctionCode {
    #[inline(always)]
    pub(crate) fn list(&self, list: List) -> &[Reg] {
        &self.lists[list.start as usize..][..list.len as usize]
    }
}

/// A decoded module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    /// Decoded functions.
    pub(crate) functions: Vec<FunctionCode>,
    /// Position in `functions` of each function of the module, where it was decoded.
    pub(crate) position: Vec<Option<u32>>,
    /// Constant registers.
    pub(crate) constants: Vec<Row>,
    /// All lanes of a constant are undefined, or none.
    pub(crate) constants_undef: Vec<u32>,
    /// Features that fail when reached.
    pub(crate) unsupported: Vec<String>,
    /// Constant data, as initialised by the module and then by its constructors.
    pub(crate) constant_memory: Shadowed,
    /// Static threadgroup memory as each threadgroup finds it.
    pub(crate) threadgroup_memory: Shadowed,
    /// Functions to run once, in order.
    pub(crate) constructors: Vec<u32>,
    /// binary32 denormals flush.
    pub(crate) flushing: bool,
}
