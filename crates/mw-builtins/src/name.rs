//! The grammar of AIR's function names.
//!
//! `air.` [`fast_`] operation [`.s` | `.u`] `.` type, where a type is `i8`…`i64`, `i1`, `f16`, `bf16`, `f32`,
//! with `v2`…`v16` in front for a vector. Conversions name two types with their kinds, packing functions a
//! format before the type.

use mw_air::{Scalar, Type};

/// How the bits of a number count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Float,
    Signed,
    Unsigned,
}

/// The rounding that a conversion may name at its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rounding {
    ToNearestEven,
    TowardsZero,
    Up,
    Down,
}

/// One side of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Side {
    pub(crate) kind: Kind,
    pub(crate) ty: Shape,
}

/// Scalar or vector type of a suffix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) scalar: Scalar,
    /// `None` for a scalar.
    pub(crate) lanes: Option<u32>,
}

impl Shape {
    /// The same shape with another scalar.
    pub(crate) fn with(self, scalar: Scalar) -> Type {
        match self.lanes {
            None => Type::Scalar(scalar),
            Some(lanes) => Type::Vector(scalar, lanes),
        }
    }

    pub(crate) fn ty(self) -> Type {
        self.with(self.scalar)
    }
}

/// A name taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Name<'n> {
    /// Most functions.
    Plain { fast: bool, operation: &'n str, signed: Option<bool>, shape: Shape },
    /// `air.convert.…`
    Convert { to: Side, from: Side, rounding: Option<Rounding> },
    /// `air.pack.<format>.<type>` and `air.unpack.<format>.<type>`.
    Pack { unpack: bool, format: &'n str, shape: Shape },
}

/// Parses a whole name; `None` when it is not of this grammar.
pub(crate) fn parse(name: &str) -> Option<Name<'_>> {
    let rest = name.strip_prefix("air.")?;
    if let Some(rest) = rest.strip_prefix("convert.") {
        let parts: Vec<&str> = rest.split('.').collect();
        let (sides, rounding) = match parts.len() {
            4 => (&parts[..], None),
            5 => (&parts[..4], Some(parse_rounding(parts[4])?)),
            _ => return None,
        };
        let (to, from) = (parse_side(sides[0], sides[1])?, parse_side(sides[2], sides[3])?);
        return Some(Name::Convert { to, from, rounding });
    }
    if let Some((direction @ ("pack" | "unpack"), rest)) = rest.split_once('.') {
        let (format, shape) = rest.rsplit_once('.')?;
        return Some(Name::Pack { unpack: direction == "unpack", format, shape: parse_shape(shape)? });
    }
    let (fast, rest) = match rest.strip_prefix("fast_") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (rest, shape) = rest.rsplit_once('.')?;
    let shape = parse_shape(shape)?;
    let (operation, signed) = match rest.split_once('.') {
        None => (rest, None),
        Some((operation, "s")) => (operation, Some(true)),
        Some((operation, "u")) => (operation, Some(false)),
        Some(_) => return None,
    };
    Some(Name::Plain { fast, operation, signed, shape })
}

fn parse_rounding(text: &str) -> Option<Rounding> {
    match text {
        "rte" => Some(Rounding::ToNearestEven),
        "rtz" => Some(Rounding::TowardsZero),
        "rtp" => Some(Rounding::Up),
        "rtn" => Some(Rounding::Down),
        _ => None,
    }
}

fn parse_side(kind: &str, ty: &str) -> Option<Side> {
    let ty = parse_shape(ty)?;
    let kind = match kind {
        "f" => Kind::Float,
        "s" => Kind::Signed,
        "u" => Kind::Unsigned,
        _ => return None,
    };
    ((kind == Kind::Float) == ty.scalar.is_float()).then_some(Side { kind, ty })
}

fn parse_shape(text: &str) -> Option<Shape> {
    let (lanes, scalar) = match text.strip_prefix('v') {
        None => (None, text),
        Some(rest) => {
            let digits = rest.find(|c: char| !c.is_ascii_digit())?;
            let lanes: u32 = rest[..digits].parse().ok()?;
            if !(2..=16).contains(&lanes) {
                return None;
            }
            (Some(lanes), &rest[digits..])
        }
    };
    let scalar = match scalar {
        "i1" => Scalar::Int(1),
        "i8" => Scalar::Int(8),
        "i16" => Scalar::Int(16),
        "i32" => Scalar::Int(32),
        "i64" => Scalar::Int(64),
        "f16" => Scalar::Half,
        "bf16" => Scalar::BFloat,
        "f32" => Scalar::Float,
        _ => return None,
    };
    Some(Shape { scalar, lanes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names() {
        let shape = Shape { scalar: Scalar::Float, lanes: Some(4) };
        let expected = Name::Plain { fast: true, operation: "exp2", signed: None, shape };
        assert_eq!(parse("air.fast_exp2.v4f32"), Some(expected));
        let shape = Shape { scalar: Scalar::Int(16), lanes: None };
        let expected = Name::Plain { fast: false, operation: "min", signed: Some(false), shape };
        assert_eq!(parse("air.min.u.i16"), Some(expected));
    }

    #[test]
    fn conversions() {
        let side = |kind, scalar, lanes| Side { kind, ty: Shape { scalar, lanes } };
        let expected = Name::Convert {
            to: side(Kind::Float, Scalar::BFloat, Some(8)),
            from: side(Kind::Unsigned, Scalar::Int(8), Some(8)),
            rounding: None,
        };
        assert_eq!(parse("air.convert.f.v8bf16.u.v8i8"), Some(expected));
        assert_eq!(parse("air.convert.f.f32.s.f16"), None, "a signed float is no type");
        assert_eq!(parse("air.convert.f.f32"), None);
    }

    #[test]
    fn foreign_names() {
        for name in ["exp", "air.", "air.exp", "air.exp.f31", "air.exp.v99f32", "air.exp.x.f32", "air.exp.v4"]
        {
            assert_eq!(parse(name), None, "{name}");
        }
    }
}
