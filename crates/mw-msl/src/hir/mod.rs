//! The typed program: every name resolved, every template instantiated, every conversion explicit.
//!
//! Only what some kernel (or `[[visible]]` function) reaches is here.
//!
//! # Rules
//!
//! - A [`Place`] is an object in memory (an lvalue); an [`Expr`] is a value. Reading a place is an explicit
//!   [`ExprKind::Load`].
//! - References are pointers: a reference parameter has pointer type, its argument is
//!   [`ExprKind::AddressOf`], its use [`PlaceKind::Deref`].
//! - Values of record and array type never stand in registers: an expression of such a type initialises a
//!   place (a local, a member, a temporary, a result). Passing a record by value passes a copy.
//! - `this` is parameter 0 of a member function, a pointer with its address space.
//! - Operands of arithmetic have one and the same type (shifts aside: the count is converted to the type of
//!   the left side); comparisons of vectors give `Vector(Bool, n)`.
//! - `&&`, `||` and `?:` evaluate lazily, except on vectors.
//! - Base classes are members: the first `bases` fields of a record.

mod expr;
mod stmt;

pub use expr::*;
pub use stmt::*;

use crate::ast::MathMode;
use crate::types::{AddressSpace, EnumId, QualType, RecordId, Scalar, Type, TypeId, TypeStore};
use mw_source::Span;

/// A function of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// A variable outside all functions, or a static or threadgroup variable inside one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalId(pub u32);

/// A parameter or variable of a [`Function`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

/// A whole checked program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub types: TypeStore,
    pub records: Vec<Record>,
    pub enums: Vec<Enum>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    /// Kernels in the order of their declaration or instantiation.
    pub kernels: Vec<Kernel>,
}

/// A struct, class, union or closure.
///
/// A base class without members takes no room: its field lies at offset 0, as the first member may.
#[derive(Clone, Debug)]
pub struct Record {
    /// As messages name it: `S<float, 4>`.
    pub name: String,
    /// As AIR names it: `struct.S`.
    pub air_name: String,
    pub is_union: bool,
    pub fields: Vec<Field>,
    /// How many of the fields are base classes.
    pub bases: u32,
    pub size_bytes: u64,
    pub align_bytes: u64,
    pub span: Span,
}

/// A data member or base class.
#[derive(Clone, Debug)]
pub struct Field {
    /// Empty for bases and anonymous members.
    pub name: String,
    /// `space` is not used: a member lives where its object lives.
    pub ty: QualType,
    pub offset_bytes: u64,
    /// `[[id(n)]]` and other attributes that reflection shows.
    pub argument_id: Option<u32>,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    pub name: String,
    pub underlying: Scalar,
    pub is_scoped: bool,
}

/// A variable with static storage.
#[derive(Clone, Debug)]
pub struct Global {
    /// As AIR names it (mangled).
    pub name: String,
    /// `Constant` or `Threadgroup`.
    pub ty: QualType,
    pub align_bytes: u64,
    pub kind: GlobalKind,
    pub span: Span,
}

/// What a [`Global`] is.
#[derive(Clone, Debug)]
pub enum GlobalKind {
    /// Known when compiling.
    Constant(Constant),
    /// `threadgroup T x;` inside a kernel: no initial value.
    Threadgroup,
    /// `constant T x [[function_constant(index)]];`
    FunctionConstant { index: u32 },
    /// `constant T x = e;`, where `e` uses function constants: computed when the pipeline is made.
    Derived(Box<Expr>),
}

/// A value known when compiling.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// All bytes zero, of any type.
    Zero,
    /// Never initialised.
    Undefined,
    Bool(bool),
    /// Bits of an integer, enumeration or pointer-sized value, sign- or zero-extended by its type.
    Int(i128),
    /// Already rounded to its type.
    Float(f64),
    /// Components of a vector, columns of a matrix, elements of an array, fields of a record (of a union: the
    /// one that `Union` says). A short list leaves the rest zero.
    Aggregate(Vec<Constant>),
    /// The active field of a union.
    Union(u32, Box<Constant>),
    /// Address of a global, with a byte offset.
    Address(GlobalId, i64),
    /// Address of a function.
    Function(FunctionId),
}

/// A function with a body, or an external one.
#[derive(Clone, Debug)]
pub struct Function {
    /// As messages name it: `f<float>(int)`.
    pub name: String,
    /// As AIR names it (mangled, or the kernel's name).
    pub air_name: String,
    /// `void` for constructors.
    pub result: QualType,
    /// How many of `locals` are parameters: the first ones.
    pub parameters: u32,
    pub locals: Vec<Local>,
    /// None for one that is only declared with an asm label: then `air_name` is the label.
    pub body: Option<Block>,
    pub is_always_inline: bool,
    pub is_noinline: bool,
    pub span: Span,
}

/// A parameter or local variable.
#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: QualType,
    pub align_bytes: u64,
    pub span: Span,
}

/// An entry point.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// `host_name`, or the function's own name.
    pub name: String,
    pub function: FunctionId,
    /// One for each parameter of the function, in order.
    pub arguments: Vec<KernelArgument>,
    pub max_total_threads_per_threadgroup: Option<u32>,
    pub is_visible: bool,
    pub span: Span,
}

/// What binds a kernel's parameter.
#[derive(Clone, Debug)]
pub struct KernelArgument {
    pub name: String,
    /// The type as written in the source, for reflection: `float`, `uint3`, `S`.
    pub type_name: String,
    pub kind: ArgumentKind,
    /// Declared as a reference, so that its extent is known.
    pub is_reference: bool,
    /// Declared as an array of so many elements.
    pub array_length: Option<u64>,
    /// What it points to is written as a plain name: reflection shows template arguments of such types alone.
    pub is_template_parameter: bool,
    /// `[[function_constant(x)]]`: the parameter exists only if this constant is true.
    pub gate: Option<GlobalId>,
    pub span: Span,
}

/// The kinds of kernel parameters.
#[derive(Clone, Debug)]
pub enum ArgumentKind {
    /// `device` or `constant` pointer or reference; the index is final.
    Buffer { index: u32, access: Access },
    /// `threadgroup` pointer with `[[threadgroup(index)]]`.
    ThreadgroupMemory { index: u32 },
    /// `thread_position_in_grid` and the like: the attribute's name.
    Builtin(&'static str),
    /// Textures and samplers: reported when lowered.
    Unsupported(String),
}

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum Access {
    Read,
    Write,
    ReadWrite,
}

impl Program {
    /// The shape of a type.
    pub fn ty(&self, id: TypeId) -> &Type {
        self.types.get(id)
    }
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }
    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.0 as usize]
    }
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }

    /// Size and alignment of a type in bytes, as Metal lays it out; zero for what has no size.
    pub fn layout(&self, id: TypeId) -> (u64, u64) {
        match self.ty(id) {
            Type::Scalar(scalar) | Type::Atomic(scalar) => (scalar.size_bytes(), scalar.size_bytes()),
            Type::Vector(scalar, len) => {
                let size = scalar.size_bytes() * u64::from(len.next_power_of_two());
                (size, size)
            }
            Type::PackedVector(scalar, len) => (scalar.size_bytes() * u64::from(*len), scalar.size_bytes()),
            Type::Matrix { element, columns, rows } => {
                let column = element.size_bytes() * u64::from(rows.next_power_of_two());
                (column * u64::from(*columns), column)
            }
            // Each lane holds its two elements; the value in AIR is a vector of 64 that fills no memory.
            Type::SimdgroupMatrix { element, .. } => (64 * element.size_bytes(), 64 * element.size_bytes()),
            Type::Pointer(_) | Type::Reference { .. } | Type::NullPointer | Type::Opaque(_) => (8, 8),
            Type::Array(element, count) => {
                let (size, align) = self.layout(*element);
                (size.saturating_mul(*count), align)
            }
            Type::UnsizedArray(element) => (0, self.layout(*element).1),
            Type::Record(record) => {
                let record = self.record(*record);
                (record.size_bytes, record.align_bytes)
            }
            Type::Enum(id) => {
                let size = self.enumeration(*id).underlying.size_bytes();
                (size, size)
            }
            Type::Void | Type::Function { .. } | Type::Unique(_) | Type::Error => (0, 1),
        }
    }
}

/// Options that change what a program means; everything else is in the syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MathOptions {
    /// The default of functions that say neither `fast` nor `precise`, and of arithmetic.
    pub math_mode: MathMode,
}

impl Default for MathOptions {
    fn default() -> Self {
        Self { math_mode: MathMode::Fast }
    }
}

/// Where program-scope data lives when nothing is said.
pub const PROGRAM_SCOPE: AddressSpace = AddressSpace::Constant;
