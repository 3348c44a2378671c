//! Names of types as reflection shows them.

use mw_msl::hir::Program;
use mw_msl::types::{Scalar, Type, TypeId};

/// Metal's name of a type; records without their template arguments, as Apple's compiler writes them.
pub(crate) fn type_name(program: &Program, id: TypeId) -> String {
    match program.ty(id) {
        Type::Void => "void".into(),
        Type::Scalar(scalar) => scalar.name().into(),
        Type::Vector(scalar, lanes) => format!("{}{lanes}", scalar.name()),
        Type::PackedVector(scalar, lanes) => format!("packed_{}{lanes}", scalar.name()),
        Type::Matrix { element, columns, rows } => format!("{}{columns}x{rows}", element.name()),
        Type::SimdgroupMatrix { element, columns, rows } => {
            format!("simdgroup_{}{columns}x{rows}", element.name())
        }
        Type::Atomic(scalar) => match scalar {
            Scalar::Int => "atomic_int".into(),
            Scalar::UInt => "atomic_uint".into(),
            Scalar::Bool => "atomic_bool".into(),
            Scalar::Float => "atomic_float".into(),
            Scalar::ULong => "atomic_ulong".into(),
            other => format!("atomic<{}>", other.name()),
        },
        Type::Record(record) => {
            // AIR's name has the namespaces, and a number where it is taken already.
            let record = program.record(*record);
            let name = record.air_name.split_once('.').map_or(record.air_name.as_str(), |(_, name)| name);
            let name = name.split('<').next().unwrap_or(name);
            match name.rsplit_once('.') {
                Some((stem, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => stem.to_owned(),
                _ => name.to_owned(),
            }
        }
        Type::Enum(id) => program.enumeration(*id).name.clone(),
        Type::Array(element, _) | Type::UnsizedArray(element) => type_name(program, *element),
        Type::Pointer(target) => type_name(program, target.ty),
        Type::Reference { target, .. } => type_name(program, target.ty),
        Type::Opaque(name) => name.to_string(),
        Type::NullPointer => "nullptr_t".into(),
        Type::Function { .. } | Type::Unique(_) | Type::Error => String::new(),
    }
}
