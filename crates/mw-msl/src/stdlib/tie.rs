//! The choice among overloads of the library that C++'s rules leave ambiguous.

use super::Candidate;
use crate::types::{Scalar, Type, TypeId, TypeStore};

/// Chooses among equally good overloads: the one whose first parameter has the element type that arithmetic
/// on all scalar arguments would have. `max(x, 0)` of a float x is the `float` one, `min(a, b)` of a uint and
/// a ushort the `uint` one, `sqrt(2)` the `float` one.
///
/// `arguments` are the types of the call's arguments without references. Gives an index into `best`.
pub fn break_tie(best: &[&Candidate], arguments: &[TypeId], types: &TypeStore) -> Option<usize> {
    let mut common: Option<Scalar> = None;
    let parameters = best.first()?.parameters.len().min(arguments.len());
    for (index, argument) in arguments.iter().enumerate().take(parameters) {
        // A parameter that is the same everywhere (a lane, a condition) says nothing about the overload.
        if best.iter().all(|candidate| candidate.parameters.get(index) == best[0].parameters.get(index)) {
            continue;
        }
        let scalar = element(types.get(*argument))?;
        common = Some(common.map_or(scalar, |other| arithmetic_type(other, scalar)));
    }
    let common = common?;
    let wanted = |scalar: Scalar| {
        best.iter().position(|candidate| {
            candidate.parameters.first().and_then(|first| element(types.get(first.ty))) == Some(scalar)
        })
    };
    wanted(common)
        .or_else(|| wanted(promoted(common)))
        // Functions of floats only: an integer computes in float.
        .or_else(|| wanted(Scalar::Float))
}

fn element(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) | Type::Vector(scalar, _) | Type::PackedVector(scalar, _) => Some(*scalar),
        _ => None,
    }
}

/// Integers below `int` compute as `int`, bfloat as float.
fn promoted(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool | Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort => Scalar::Int,
        Scalar::BFloat => Scalar::Float,
        other => other,
    }
}

/// The type of `a + b`.
fn arithmetic_type(a: Scalar, b: Scalar) -> Scalar {
    if a == b {
        return a;
    }
    if a.is_float() || b.is_float() {
        return match (a, b) {
            (Scalar::Half, other) | (other, Scalar::Half) if !other.is_float() => Scalar::Half,
            _ => Scalar::Float,
        };
    }
    let (a, b) = (promoted(a), promoted(b));
    let rank = |scalar: Scalar| match scalar {
        Scalar::ULong => 3,
        Scalar::Long => 2,
        Scalar::UInt => 1,
        _ => 0,
    };
    if rank(a) >= rank(b) { a } else { b }
}
