//! From a row of the table to its concrete overloads.

use super::table::{AtomicKind, Class, MatrixKind, Row, Spaces, rows_named};
use super::{BuiltinId, Candidate, LibraryNamespace};
use crate::hir::Constant;
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, TypeStore};

const INTEGERS: [Scalar; 8] = [
    Scalar::Int,
    Scalar::UInt,
    Scalar::Char,
    Scalar::UChar,
    Scalar::Short,
    Scalar::UShort,
    Scalar::Long,
    Scalar::ULong,
];
/// Integers that lanes exchange: all but the last two.
const LANE_INTEGERS: &[Scalar] = INTEGERS.split_at(6).0;
const FLOATS: [Scalar; 2] = [Scalar::Float, Scalar::Half];
const FRAGMENTS: [Scalar; 3] = [Scalar::Float, Scalar::Half, Scalar::BFloat];

/// The overloads of a name.
pub(super) fn candidates(
    space: LibraryNamespace,
    name: &str,
    types: &mut TypeStore,
) -> Option<Vec<Candidate>> {
    let mut found = Vec::new();
    for id in rows_named(name) {
        let row = id.row();
        let is_here = match space {
            LibraryNamespace::Metal => row.spaces != Spaces::Global,
            LibraryNamespace::Fast | LibraryNamespace::Precise => row.spaces == Spaces::MetalFastPrecise,
            LibraryNamespace::Global => row.spaces == Spaces::Global,
        };
        if is_here {
            let only_float = matches!(space, LibraryNamespace::Fast | LibraryNamespace::Precise);
            expand(*id, row, only_float, false, types, &mut found);
        }
    }
    if space == LibraryNamespace::Global
        && let Some(public) = name.strip_prefix("__metal_")
    {
        for id in rows_named(public) {
            let row = id.row();
            match row.spaces {
                Spaces::MetalFastPrecise => {
                    // `fma`, `nextafter` and their like have one form, and no flag.
                    expand(*id, row, false, false, types, &mut found);
                    expand(*id, row, false, true, types, &mut found);
                }
                Spaces::MetalAndInternal => expand(*id, row, false, false, types, &mut found),
                Spaces::Metal | Spaces::Global => {}
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// `T` of an overload.
#[derive(Clone, Copy)]
enum Instance {
    None,
    /// Element and length, 1 for a scalar.
    Numbers(Scalar, u8),
    Matrix {
        element: Scalar,
        columns: u8,
        rows: u8,
    },
}

fn expand(
    id: BuiltinId,
    row: &Row,
    only_float: bool,
    with_flag: bool,
    types: &mut TypeStore,
    found: &mut Vec<Candidate>,
) {
    let mut add = |instance: Instance, types: &mut TypeStore| {
        found.push(pattern(id, row, instance, with_flag, types));
    };
    let mut numbers = |scalars: &[Scalar], lengths: std::ops::RangeInclusive<u8>, types: &mut TypeStore| {
        for scalar in scalars {
            if only_float && *scalar != Scalar::Float {
                continue;
            }
            for length in lengths.clone() {
                add(Instance::Numbers(*scalar, length), types);
            }
        }
    };
    match row.class {
        Class::One => add(Instance::None, types),
        Class::Float => numbers(&FLOATS, 1..=4, types),
        Class::FloatVector => numbers(&FLOATS, 2..=4, types),
        Class::Float3 => numbers(&FLOATS, 3..=3, types),
        Class::Integer => numbers(&INTEGERS, 1..=4, types),
        Class::Int32 => numbers(&[Scalar::Int, Scalar::UInt], 1..=4, types),
        Class::Number => {
            numbers(&FLOATS, 1..=4, types);
            numbers(&INTEGERS, 1..=4, types);
        }
        Class::Lane => {
            numbers(&FLOATS, 1..=4, types);
            numbers(LANE_INTEGERS, 1..=4, types);
        }
        Class::LaneInteger => numbers(LANE_INTEGERS, 1..=4, types),
        Class::Bool => numbers(&[Scalar::Bool], 1..=4, types),
        Class::BoolVector => numbers(&[Scalar::Bool], 2..=4, types),
        Class::Index => numbers(&[Scalar::UShort, Scalar::UInt], 1..=1, types),
        Class::Matrix | Class::SquareMatrix => {
            for element in FLOATS {
                for columns in 2..=4 {
                    for rows in 2..=4 {
                        if columns == rows || row.class == Class::Matrix {
                            add(Instance::Matrix { element, columns, rows }, types);
                        }
                    }
                }
            }
        }
        Class::Atomic(kind) => atomic(id, kind, types, found),
        Class::SimdgroupMatrix(kind) => simdgroup_matrix(id, kind, types, found),
    }
}

/// One overload from the row's pattern.
fn pattern(
    id: BuiltinId,
    row: &Row,
    instance: Instance,
    with_flag: bool,
    types: &mut TypeStore,
) -> Candidate {
    let mut words = row.signature.split_ascii_whitespace();
    let result = QualType::plain(word(words.next().unwrap_or("void"), instance, types));
    let mut parameters: Vec<QualType> =
        words.map(|name| QualType::plain(word(name, instance, types))).collect();
    let required = parameters.len() - row.defaults.len();
    let defaults = row.defaults.iter().map(|value| Constant::Int(i128::from(*value))).collect();
    if with_flag {
        parameters.push(QualType::plain(types.intern(Type::Scalar(Scalar::Int))));
        return Candidate { id, required: parameters.len(), parameters, defaults: Vec::new(), result };
    }
    Candidate { id, parameters, required, defaults, result }
}

fn numbers(scalar: Scalar, length: u8, types: &mut TypeStore) -> TypeId {
    types.intern(if length == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, length) })
}

/// The type that a word of a signature means.
fn word(word: &str, instance: Instance, types: &mut TypeStore) -> TypeId {
    if let Some(target) = word.strip_prefix('&') {
        let target = QualType::plain(self::word(target, instance, types));
        return types.intern(Type::Reference { target, is_rvalue: false });
    }
    if let Some(target) = word.strip_prefix('*') {
        let target = QualType::plain(self::word(target, instance, types));
        return types.intern(Type::Pointer(target));
    }
    match (word, instance) {
        ("T", Instance::Numbers(scalar, length)) => return numbers(scalar, length, types),
        ("N", Instance::Numbers(element, _) | Instance::Matrix { element, .. }) => {
            return numbers(element, 1, types);
        }
        ("B", Instance::Numbers(_, length)) => return numbers(Scalar::Bool, length, types),
        ("I", Instance::Numbers(_, length)) => return numbers(Scalar::Int, length, types),
        ("T", Instance::Matrix { element, columns, rows }) => {
            return types.intern(Type::Matrix { element, columns, rows });
        }
        ("R", Instance::Matrix { element, columns, rows }) => {
            return types.intern(Type::Matrix { element, columns: rows, rows: columns });
        }
        _ => {}
    }
    if let Some(id) = types.library_type(word) {
        return id;
    }
    let length = word.bytes().last().filter(u8::is_ascii_digit).map_or(1, |digit| digit - b'0');
    let scalar = match word.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "void" => return types.intern(Type::Void),
        "bool" => Scalar::Bool,
        "lane" | "ushort" => Scalar::UShort,
        "int" | "memory_order" | "thread_scope" => Scalar::Int,
        "uint" | "mem_flags" => Scalar::UInt,
        "ulong" => Scalar::ULong,
        "half" => Scalar::Half,
        "float" => Scalar::Float,
        other => unreachable!("`{other}` in a signature of the table"),
    };
    numbers(scalar, length, types)
}

fn pointer(target: QualType, types: &mut TypeStore) -> QualType {
    QualType::plain(types.intern(Type::Pointer(target)))
}

fn atomic(id: BuiltinId, kind: AtomicKind, types: &mut TypeStore, found: &mut Vec<Candidate>) {
    let scalars: &[Scalar] = match kind {
        AtomicKind::Load | AtomicKind::Store | AtomicKind::Exchange | AtomicKind::CompareExchange => {
            &[Scalar::UInt, Scalar::Int, Scalar::Float, Scalar::Bool]
        }
        AtomicKind::Sum => &[Scalar::UInt, Scalar::Int, Scalar::Float],
        AtomicKind::Integer => &[Scalar::UInt, Scalar::Int],
        AtomicKind::Void64 => &[Scalar::ULong],
    };
    let order = QualType::plain(word("memory_order", Instance::None, types));
    for scalar in scalars {
        for space in [AddressSpace::Device, AddressSpace::Threadgroup] {
            // The analysis refuses sums of floats in threadgroup memory before MSL 4.1.
            if space == AddressSpace::Threadgroup && kind == AtomicKind::Void64 {
                continue;
            }
            let value = QualType::plain(numbers(*scalar, 1, types));
            let object = QualType {
                ty: types.intern(Type::Atomic(*scalar)),
                space,
                is_const: kind == AtomicKind::Load,
                is_volatile: true,
                is_coherent: false,
            };
            let object = pointer(object, types);
            let void = QualType::plain(types.intern(Type::Void));
            let (parameters, result) = match kind {
                AtomicKind::Load => (vec![object, order], value),
                AtomicKind::Store | AtomicKind::Void64 => (vec![object, value, order], void),
                AtomicKind::Exchange | AtomicKind::Sum | AtomicKind::Integer => {
                    (vec![object, value, order], value)
                }
                AtomicKind::CompareExchange => {
                    let expected = pointer(value, types);
                    let done = QualType::plain(numbers(Scalar::Bool, 1, types));
                    (vec![object, expected, value, order, order], done)
                }
            };
            let required = parameters.len();
            found.push(Candidate { id, parameters, required, defaults: Vec::new(), result });
        }
    }
}

fn simdgroup_matrix(id: BuiltinId, kind: MatrixKind, types: &mut TypeStore, found: &mut Vec<Candidate>) {
    let fragment = |element: Scalar, types: &mut TypeStore| {
        QualType::plain(types.intern(Type::SimdgroupMatrix { element, columns: 8, rows: 8 }))
    };
    let reference = |target: QualType, types: &mut TypeStore| {
        QualType::plain(types.intern(Type::Reference { target, is_rvalue: false }))
    };
    let void = QualType::plain(types.intern(Type::Void));
    // Elements per row, origin, transposed.
    let shape = [
        QualType::plain(numbers(Scalar::ULong, 1, types)),
        QualType::plain(numbers(Scalar::ULong, 2, types)),
        QualType::plain(numbers(Scalar::Bool, 1, types)),
    ];
    let defaults = vec![Constant::Int(8), Constant::Zero, Constant::Bool(false)];
    for element in FRAGMENTS {
        let value = fragment(element, types);
        let scalar = QualType::plain(numbers(element, 1, types));
        match kind {
            MatrixKind::Init => found.push(Candidate {
                id,
                parameters: vec![scalar],
                required: 1,
                defaults: Vec::new(),
                result: value,
            }),
            MatrixKind::Load | MatrixKind::Store => {
                for space in [AddressSpace::Device, AddressSpace::Threadgroup] {
                    let is_load = kind == MatrixKind::Load;
                    let memory = pointer(QualType { space, is_const: is_load, ..scalar }, types);
                    let first = if is_load { reference(value, types) } else { value };
                    found.push(Candidate {
                        id,
                        parameters: [first, memory].into_iter().chain(shape).collect(),
                        required: 2,
                        defaults: defaults.clone(),
                        result: void,
                    });
                }
            }
            MatrixKind::Multiply | MatrixKind::MultiplyAccumulate => {
                let d = reference(value, types);
                for a in FRAGMENTS {
                    for b in FRAGMENTS {
                        let (a, b) = (fragment(a, types), fragment(b, types));
                        let mut add = |parameters: Vec<QualType>| {
                            let required = parameters.len();
                            found.push(Candidate {
                                id,
                                parameters,
                                required,
                                defaults: Vec::new(),
                                result: void,
                            });
                        };
                        if kind == MatrixKind::Multiply {
                            add(vec![d, a, b]);
                        } else {
                            for c in FRAGMENTS {
                                let c = fragment(c, types);
                                add(vec![d, a, b, c]);
                            }
                        }
                    }
                }
            }
        }
    }
}
