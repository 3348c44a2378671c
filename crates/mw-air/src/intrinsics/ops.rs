//! The operations of each family with their names.
//!
//! Only names that a library or a published description attests are listed (and the members of their
//! families that follow the same pattern: quad twins of simd operations, the other atomics). An unlisted
//! name is not classified, so that an engine reports it instead of guessing.

macro_rules! ops {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs, reason = "Metal's own names")]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// All operations with their names.
            pub const ALL: &'static [(Self, &'static str)] = &[$((Self::$variant, $text),)*];

            /// The name as it stands in AIR.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// The operation called `name`.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

ops! {
    /// Floating-point library functions: `air.<op>.<type>` and `air.fast_<op>.<type>`.
    MathOp {
        Acos = "acos",
        Acosh = "acosh",
        Asin = "asin",
        Asinh = "asinh",
        Atan = "atan",
        Atan2 = "atan2",
        Atanh = "atanh",
        Ceil = "ceil",
        Clamp = "clamp",
        Cos = "cos",
        Cosh = "cosh",
        Cospi = "cospi",
        /// Sum of the products of the elements; the result is a scalar.
        Dot = "dot",
        Exp = "exp",
        Exp10 = "exp10",
        Exp2 = "exp2",
        Fabs = "fabs",
        Floor = "floor",
        Fma = "fma",
        Fmax = "fmax",
        Fmax3 = "fmax3",
        Fmin = "fmin",
        Fmin3 = "fmin3",
        Fmod = "fmod",
        Fract = "fract",
        /// `x * 2^n`; the second operand is an `i32`.
        Ldexp = "ldexp",
        Log = "log",
        Log10 = "log10",
        Log2 = "log2",
        Nextafter = "nextafter",
        Pow = "pow",
        Powr = "powr",
        Rint = "rint",
        Round = "round",
        Rsqrt = "rsqrt",
        Saturate = "saturate",
        Sin = "sin",
        /// Sine as result, cosine through a pointer into thread memory.
        Sincos = "sincos",
        Sinh = "sinh",
        Sinpi = "sinpi",
        Sqrt = "sqrt",
        Tan = "tan",
        Tanh = "tanh",
        Tanpi = "tanpi",
        Trunc = "trunc",
    }
}

ops! {
    /// Integer library functions: `air.<op>.[s.|u.]<type>`.
    IntegerOp {
        Abs = "abs",
        Clamp = "clamp",
        /// Leading zeros; the `i1` says whether zero gives poison.
        Clz = "clz",
        /// Trailing zeros; the `i1` says whether zero gives poison.
        Ctz = "ctz",
        ExtractBits = "extract_bits",
        InsertBits = "insert_bits",
        Max = "max",
        Max3 = "max3",
        Min = "min",
        Min3 = "min3",
        MulHi = "mul_hi",
        Popcount = "popcount",
        ReverseBits = "reverse_bits",
    }
}

ops! {
    /// Operations among the lanes of a simdgroup or quadgroup: `air.simd_<op>…`, `air.quad_<op>…`.
    CollectiveOp {
        Sum = "sum",
        Product = "product",
        Min = "min",
        Max = "max",
        And = "and",
        Or = "or",
        Xor = "xor",
        PrefixInclusiveSum = "prefix_inclusive_sum",
        PrefixInclusiveProduct = "prefix_inclusive_product",
        PrefixExclusiveSum = "prefix_exclusive_sum",
        PrefixExclusiveProduct = "prefix_exclusive_product",
        Broadcast = "broadcast",
        BroadcastFirst = "broadcast_first",
        Shuffle = "shuffle",
        ShuffleXor = "shuffle_xor",
        ShuffleUp = "shuffle_up",
        ShuffleDown = "shuffle_down",
        ShuffleRotateUp = "shuffle_rotate_up",
        ShuffleRotateDown = "shuffle_rotate_down",
        ShuffleAndFillUp = "shuffle_and_fill_up",
        ShuffleAndFillDown = "shuffle_and_fill_down",
        All = "all",
        Any = "any",
        /// One bit for each active lane with `true`.
        Ballot = "ballot",
        /// Whether a mask holds every lane that exists.
        VoteAll = "vote_all",
        /// Whether a mask holds any lane.
        VoteAny = "vote_any",
        IsFirst = "is_first",
    }
}

/// What the operands of a collective operation are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CollectiveShape {
    /// `T (T)`: reductions, scans, `broadcast_first`.
    Unary,
    /// `T (T, i16)`: shuffles and broadcast.
    Lane,
    /// `T (T, T, i16, i16)`: data, filling, delta, modulo.
    Fill,
    /// `i1 (i1)` without suffix.
    Predicate,
    /// `T (i1)`: from a predicate to a mask.
    Ballot,
    /// `i1 (T)`: from a mask to a predicate.
    Vote,
    /// `i1 ()` without suffix.
    Nothing,
}

impl CollectiveOp {
    /// What the operands are.
    pub fn shape(self) -> CollectiveShape {
        match self {
            Self::Sum
            | Self::Product
            | Self::Min
            | Self::Max
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::PrefixInclusiveSum
            | Self::PrefixInclusiveProduct
            | Self::PrefixExclusiveSum
            | Self::PrefixExclusiveProduct
            | Self::BroadcastFirst => CollectiveShape::Unary,
            Self::Broadcast
            | Self::Shuffle
            | Self::ShuffleXor
            | Self::ShuffleUp
            | Self::ShuffleDown
            | Self::ShuffleRotateUp
            | Self::ShuffleRotateDown => CollectiveShape::Lane,
            Self::ShuffleAndFillUp | Self::ShuffleAndFillDown => CollectiveShape::Fill,
            Self::All | Self::Any => CollectiveShape::Predicate,
            Self::Ballot => CollectiveShape::Ballot,
            Self::VoteAll | Self::VoteAny => CollectiveShape::Vote,
            Self::IsFirst => CollectiveShape::Nothing,
        }
    }
}

ops! {
    /// Atomic operations: `air.atomic.{global,local}.<op>.[s.|u.]<type>`.
    AtomicOp {
        Load = "load",
        Store = "store",
        Exchange = "xchg",
        Add = "add",
        Sub = "sub",
        Min = "min",
        Max = "max",
        And = "and",
        Or = "or",
        Xor = "xor",
        /// The expected value stands in thread memory and is replaced by the old one.
        CompareExchangeWeak = "cmpxchg.weak",
    }
}

/// Operations on 8×8 matrices, spread over the lanes of a simdgroup.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MatrixOp {
    /// Tile from memory.
    Load {
        /// Element type.
        element: crate::Scalar,
        /// Address space of the memory.
        space: crate::AddressSpace,
    },
    /// Tile to memory.
    Store {
        /// Element type.
        element: crate::Scalar,
        /// Address space of the memory.
        space: crate::AddressSpace,
    },
    /// `a * b + c`.
    MultiplyAccumulate {
        /// Element type of the result.
        result: crate::Scalar,
        /// Element type of the left factor.
        a: crate::Scalar,
        /// Element type of the right factor.
        b: crate::Scalar,
        /// Element type of the addend.
        c: crate::Scalar,
    },
    /// A number on the diagonal, zero elsewhere.
    InitDiagonal {
        /// Element type.
        element: crate::Scalar,
    },
    /// A number everywhere.
    InitFilled {
        /// Element type.
        element: crate::Scalar,
    },
}

/// Who sees a coherent access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CoherenceScope {
    /// All threads of the device.
    Device,
    /// The host too.
    System,
}

ops! {
    /// Functions on tensor handles (Metal 4).
    TensorOp {
        DescriptorSize = "air.get_descriptor_size_tensor",
        InitStridedGlobal = "air.init_strided_private_tensor.i32.global",
        InitStridedLocal = "air.init_strided_private_tensor.i32.local",
        Slice = "air.slice_private_tensor_private_tensor.s.i32",
        Extent = "air.get_extent_private_tensor.i32",
    }
}
