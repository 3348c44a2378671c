//! Types: scalars, vectors, arrays, structures. Pointers are opaque.

use std::fmt;
use std::sync::Arc;

/// One of Metal's address spaces, by AIR's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AddressSpace(pub u32);

impl AddressSpace {
    /// `thread`: private to one thread.
    pub const THREAD: Self = Self(0);
    /// `device`: buffers that every thread of the grid sees.
    pub const DEVICE: Self = Self(1);
    /// `constant`: read-only buffers and all program-scope data.
    pub const CONSTANT: Self = Self(2);
    /// `threadgroup`: shared by the threads of one threadgroup.
    pub const THREADGROUP: Self = Self(3);

    /// Metal's spelling, or `None` for a space that compute kernels do not use.
    pub fn name(self) -> Option<&'static str> {
        match self.0 {
            0 => Some("thread"),
            1 => Some("device"),
            2 => Some("constant"),
            3 => Some("threadgroup"),
            _ => None,
        }
    }
}

/// A type that a vector can be made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    /// Integer of 1 to 64 bits.
    Int(u16),
    /// IEEE binary16.
    Half,
    /// bfloat16: the upper half of a binary32.
    BFloat,
    /// IEEE binary32.
    Float,
    /// IEEE binary64. Metal has none; library functions use it inside.
    Double,
    /// Opaque pointer.
    Ptr(AddressSpace),
}

impl Scalar {
    /// Width in bits of the value (a pointer has 64).
    pub fn bits(self) -> u32 {
        match self {
            Self::Int(bits) => u32::from(bits),
            Self::Half | Self::BFloat => 16,
            Self::Float => 32,
            Self::Double | Self::Ptr(_) => 64,
        }
    }

    /// Whether it is one of the four floating-point formats.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Half | Self::BFloat | Self::Float | Self::Double)
    }

    /// Whether it is an integer.
    pub fn is_int(self) -> bool {
        matches!(self, Self::Int(_))
    }

    /// The letters that AIR puts in overload suffixes: `i32`, `f16`, `bf16`.
    pub fn suffix(self) -> String {
        match self {
            Self::Int(bits) => format!("i{bits}"),
            Self::Half => "f16".into(),
            Self::BFloat => "bf16".into(),
            Self::Float => "f32".into(),
            Self::Double => "f64".into(),
            Self::Ptr(space) => format!("p{}", space.0),
        }
    }
}

/// A structure type. Named ones are equal when name and fields are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructType {
    /// Name without the `%`; `None` for a literal structure.
    pub name: Option<Arc<str>>,
    /// Field types in order. Empty for an opaque structure.
    pub fields: Vec<Type>,
    /// No padding between fields.
    pub packed: bool,
    /// Declared without a body (`%struct._texture_2d_t = type opaque`).
    pub opaque: bool,
}

/// Most types that one type may be made of ([`Type::nodes_up_to`]); readers and verifier refuse more, so that
/// walks over a type stay short. Apple's largest has a few hundred.
pub const MAX_TYPE_NODES: u32 = 4096;

/// A first-class type, or `Void` for functions that return nothing.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// No value.
    Void,
    /// One scalar.
    Scalar(Scalar),
    /// Fixed number of scalars.
    Vector(Scalar, u32),
    /// Element type and count.
    Array(Arc<Type>, u64),
    /// Structure.
    Struct(Arc<StructType>),
    /// Operand of intrinsics that take metadata.
    Metadata,
}

impl Type {
    /// `i1`, the type of conditions.
    pub const I1: Self = Self::Scalar(Scalar::Int(1));
    /// `i8`.
    pub const I8: Self = Self::Scalar(Scalar::Int(8));
    /// `i16`.
    pub const I16: Self = Self::Scalar(Scalar::Int(16));
    /// `i32`.
    pub const I32: Self = Self::Scalar(Scalar::Int(32));
    /// `i64`.
    pub const I64: Self = Self::Scalar(Scalar::Int(64));
    /// `half`.
    pub const HALF: Self = Self::Scalar(Scalar::Half);
    /// `bfloat`.
    pub const BFLOAT: Self = Self::Scalar(Scalar::BFloat);
    /// `float`.
    pub const FLOAT: Self = Self::Scalar(Scalar::Float);
    /// `double`.
    pub const DOUBLE: Self = Self::Scalar(Scalar::Double);

    /// Integer of `bits` bits.
    pub fn int(bits: u16) -> Self {
        Self::Scalar(Scalar::Int(bits))
    }

    /// Pointer into `space`.
    pub fn ptr(space: AddressSpace) -> Self {
        Self::Scalar(Scalar::Ptr(space))
    }

    /// `[count x element]`.
    pub fn array(element: Self, count: u64) -> Self {
        Self::Array(Arc::new(element), count)
    }

    /// A literal, unpacked structure of these fields.
    pub fn literal_struct(fields: Vec<Self>) -> Self {
        Self::Struct(Arc::new(StructType { name: None, fields, packed: false, opaque: false }))
    }

    /// The scalar of a scalar or vector type.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) | Self::Vector(scalar, _) => Some(*scalar),
            Self::Void | Self::Array(..) | Self::Struct(_) | Self::Metadata => None,
        }
    }

    /// Number of lanes of a vector; 1 for a scalar; `None` for what is neither.
    pub fn lanes(&self) -> Option<u32> {
        match self {
            Self::Scalar(_) => Some(1),
            Self::Vector(_, lanes) => Some(*lanes),
            Self::Void | Self::Array(..) | Self::Struct(_) | Self::Metadata => None,
        }
    }

    /// The same shape (scalar or vector) with another scalar.
    #[must_use]
    pub fn with_scalar(&self, scalar: Scalar) -> Self {
        match self {
            Self::Vector(_, lanes) => Self::Vector(scalar, *lanes),
            _ => Self::Scalar(scalar),
        }
    }

    /// The address space of a pointer or vector of pointers.
    pub fn address_space(&self) -> Option<AddressSpace> {
        match self.scalar() {
            Some(Scalar::Ptr(space)) => Some(space),
            _ => None,
        }
    }

    /// Whether it is a scalar or vector of floating-point numbers.
    pub fn is_float(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_float)
    }

    /// Whether it is a scalar or vector of integers.
    pub fn is_int(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_int)
    }

    /// Whether it is a pointer (not a vector of pointers).
    pub fn is_ptr(&self) -> bool {
        matches!(self, Self::Scalar(Scalar::Ptr(_)))
    }

    /// Whether it is an array or a structure.
    pub fn is_aggregate(&self) -> bool {
        matches!(self, Self::Array(..) | Self::Struct(_))
    }

    /// Number of types that this one is made of, itself included, each use counted; stops counting at
    /// `limit`. Types share their parts, so that a short text can stand for a tree of any size.
    pub fn nodes_up_to(&self, limit: u32) -> u32 {
        let mut left = limit;
        self.count_nodes(&mut left);
        limit - left
    }

    fn count_nodes(&self, left: &mut u32) {
        *left = left.saturating_sub(1);
        match self {
            Self::Void | Self::Scalar(_) | Self::Vector(..) | Self::Metadata => {}
            Self::Array(element, _) => {
                if *left > 0 {
                    element.count_nodes(left);
                }
            }
            Self::Struct(structure) => {
                for field in &structure.fields {
                    if *left == 0 {
                        return;
                    }
                    field.count_nodes(left);
                }
            }
        }
    }

    /// Type of element or field `index` of an aggregate or vector.
    pub fn element(&self, index: u64) -> Option<Self> {
        match self {
            Self::Vector(scalar, lanes) => (index < u64::from(*lanes)).then_some(Self::Scalar(*scalar)),
            Self::Array(element, count) => (index < *count).then(|| (**element).clone()),
            Self::Struct(structure) => structure.fields.get(usize::try_from(index).ok()?).cloned(),
            Self::Void | Self::Scalar(_) | Self::Metadata => None,
        }
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(bits) => write!(f, "i{bits}"),
            Self::Half => f.write_str("half"),
            Self::BFloat => f.write_str("bfloat"),
            Self::Float => f.write_str("float"),
            Self::Double => f.write_str("double"),
            Self::Ptr(AddressSpace(0)) => f.write_str("ptr"),
            Self::Ptr(AddressSpace(space)) => write!(f, "ptr addrspace({space})"),
        }
    }
}

/// Writes a structure's name as LLVM does, quoted where it needs to be.
pub(crate) fn write_symbol(f: &mut impl fmt::Write, sigil: char, name: &str) -> fmt::Result {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '$' | '.' | '_' | '-');
    f.write_char(sigil)?;
    if !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(plain) {
        return f.write_str(name);
    }
    f.write_char('"')?;
    for byte in name.bytes() {
        if byte == b'"' || byte == b'\\' || !(0x20..0x7f).contains(&byte) {
            write!(f, "\\{byte:02X}")?;
        } else {
            f.write_char(byte as char)?;
        }
    }
    f.write_char('"')
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Void => f.write_str("void"),
            Self::Scalar(scalar) => scalar.fmt(f),
            Self::Vector(scalar, lanes) => write!(f, "<{lanes} x {scalar}>"),
            Self::Array(element, count) => write!(f, "[{count} x {element}]"),
            Self::Struct(structure) => match &structure.name {
                Some(name) => write_symbol(f, '%', name),
                None => structure.fmt_body(f),
            },
            Self::Metadata => f.write_str("metadata"),
        }
    }
}

impl StructType {
    /// Writes the body: `{ i32, float }`, `<{ i8 }>` or `opaque`.
    pub fn fmt_body(&self, f: &mut impl fmt::Write) -> fmt::Result {
        if self.opaque {
            return f.write_str("opaque");
        }
        f.write_str(if self.packed { "<{" } else { "{" })?;
        for (index, field) in self.fields.iter().enumerate() {
            f.write_str(if index == 0 { " " } else { ", " })?;
            write!(f, "{field}")?;
        }
        f.write_str(if self.fields.is_empty() { "" } else { " " })?;
        f.write_str(if self.packed { "}>" } else { "}" })
    }
}
