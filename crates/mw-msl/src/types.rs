//! Types of values, interned: equal types have equal handles.
//!
//! Only concrete types live here. A template's dependent types stay syntax, and become one of these when
//! the template is instantiated.

use rustc_hash::FxHashMap;

/// Built-in scalar types, `void` aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    Bool,
    /// `char`, which is signed; also `signed char`.
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    /// 64 bits; also `long long`.
    Long,
    ULong,
    Half,
    BFloat,
    Float,
}

impl Scalar {
    /// Size in bytes, which is its alignment too.
    pub fn size_bytes(self) -> u64 {
        match self {
            Self::Bool | Self::Char | Self::UChar => 1,
            Self::Short | Self::UShort | Self::Half | Self::BFloat => 2,
            Self::Int | Self::UInt | Self::Float => 4,
            Self::Long | Self::ULong => 8,
        }
    }

    /// Half, bfloat or float.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Half | Self::BFloat | Self::Float)
    }

    /// An integer type or `bool`.
    pub fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// A signed integer type.
    pub fn is_signed_integer(self) -> bool {
        matches!(self, Self::Char | Self::Short | Self::Int | Self::Long)
    }

    /// The code of Itanium mangling, as Apple's compiler writes it.
    pub fn itanium_code(self) -> &'static str {
        match self {
            Self::Bool => "b",
            Self::Char => "c",
            Self::UChar => "h",
            Self::Short => "s",
            Self::UShort => "t",
            Self::Int => "i",
            Self::UInt => "j",
            Self::Long => "l",
            Self::ULong => "m",
            Self::Half => "Dh",
            Self::BFloat => "u6__bf16",
            Self::Float => "f",
        }
    }

    /// Metal's word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Char => "char",
            Self::UChar => "uchar",
            Self::Short => "short",
            Self::UShort => "ushort",
            Self::Int => "int",
            Self::UInt => "uint",
            Self::Long => "long",
            Self::ULong => "ulong",
            Self::Half => "half",
            Self::BFloat => "bfloat",
            Self::Float => "float",
        }
    }
}

/// Where an object lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressSpace {
    /// The default of everything that says nothing else.
    #[default]
    Thread,
    Device,
    Constant,
    Threadgroup,
    ThreadgroupImageblock,
    RayData,
    ObjectData,
}

impl AddressSpace {
    /// Metal's word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Device => "device",
            Self::Constant => "constant",
            Self::Threadgroup => "threadgroup",
            Self::ThreadgroupImageblock => "threadgroup_imageblock",
            Self::RayData => "ray_data",
            Self::ObjectData => "object_data",
        }
    }

    /// AIR's number of it.
    pub fn number(self) -> u32 {
        match self {
            Self::Thread => 0,
            Self::Device => 1,
            Self::Constant => 2,
            Self::Threadgroup => 3,
            Self::ThreadgroupImageblock => 4,
            Self::RayData => 5,
            Self::ObjectData => 6,
        }
    }
}

/// A type of a [`TypeStore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// A class, struct, union or lambda of a [`crate::hir::Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub u32);

/// An enumeration of a [`crate::hir::Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub u32);

/// A type with the qualifiers of the object that it describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QualType {
    /// The type.
    pub ty: TypeId,
    /// Of the object: where a pointer points to, where a variable lives.
    pub space: AddressSpace,
    pub is_const: bool,
    pub is_volatile: bool,
    /// `coherent(device)`
    pub is_coherent: bool,
}

impl QualType {
    /// The type without any qualifier, in thread memory.
    pub fn plain(ty: TypeId) -> Self {
        Self { ty, space: AddressSpace::Thread, is_const: false, is_volatile: false, is_coherent: false }
    }
}

/// The shape of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    /// `decltype(nullptr)`
    NullPointer,
    Scalar(Scalar),
    /// `vec<T, N>`: three components take the room of four.
    Vector(Scalar, u8),
    /// `packed_T3` and its like: aligned as one component.
    PackedVector(Scalar, u8),
    /// Columns of vectors.
    Matrix {
        element: Scalar,
        columns: u8,
        rows: u8,
    },
    /// `simdgroup_matrix<T, columns, rows>`: one value for the whole simdgroup.
    SimdgroupMatrix {
        element: Scalar,
        columns: u8,
        rows: u8,
    },
    /// `atomic<T>`
    Atomic(Scalar),
    Pointer(QualType),
    /// `T &`; `T &&` if `is_rvalue`.
    Reference {
        target: QualType,
        is_rvalue: bool,
    },
    Array(TypeId, u64),
    /// `T []`, for parameters and `extern` declarations.
    UnsizedArray(TypeId),
    Function {
        result: QualType,
        parameters: Vec<QualType>,
    },
    Record(RecordId),
    Enum(EnumId),
    /// A texture, sampler, tensor or other handle, by its Metal name: parsed and checked, never executed.
    Opaque(Box<str>),
    /// A type that equals no other: stands for a template parameter when templates are ordered.
    Unique(u32),
    /// Follows an error that was reported; converts to everything, silently.
    Error,
}

/// All types of one compilation.
#[derive(Clone, Debug, Default)]
pub struct TypeStore {
    types: Vec<Type>,
    ids: FxHashMap<Type, TypeId>,
    /// Enumerations of the library that signatures of its built-in functions name (`mem_flags`).
    library: FxHashMap<Box<str>, TypeId>,
}

impl TypeStore {
    /// The handle of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// Says which type of the library's header a name means (`mem_flags`, without its namespace), so that
    /// built-in functions take that type.
    pub fn set_library_type(&mut self, name: &str, id: TypeId) {
        self.library.insert(name.into(), id);
    }

    /// The type of the library's header with a name, if it was declared.
    pub fn library_type(&self, name: &str) -> Option<TypeId> {
        self.library.get(name).copied()
    }

    /// The handle of a type, if it was interned before.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.ids.get(ty).copied()
    }

    /// The shape behind a handle.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }
}
