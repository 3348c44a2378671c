//! Types.

use std::sync::Arc;

use super::Verifier;
use crate::types::MAX_TYPE_NODES;
use crate::{FunctionType, Scalar, StructType, Type};

/// Longest vector.
const MAX_LANES: u32 = 4096;
/// Deepest nesting.
const MAX_DEPTH: u32 = 64;

impl Verifier<'_> {
    /// A type that values, variables and memory can have.
    pub(super) fn value_type(&mut self, ty: &Type) -> bool {
        match self.problem(ty, 0) {
            None => true,
            Some(problem) => {
                self.error(problem);
                false
            }
        }
    }

    pub(super) fn function_type(&mut self, ty: &FunctionType, declaration: bool) -> bool {
        let ret = ty.ret == Type::Void || self.value_type(&ty.ret);
        let mut params = true;
        for param in &ty.params {
            let metadata = declaration && *param == Type::Metadata;
            params &= metadata || self.value_type(param);
        }
        ret && params
    }

    /// Why a value cannot have the type.
    fn problem(&mut self, ty: &Type, depth: u32) -> Option<String> {
        match ty {
            Type::Void | Type::Metadata => Some(format!("a value cannot be `{ty}`")),
            Type::Scalar(scalar) => scalar_problem(*scalar),
            Type::Vector(scalar, lanes) => {
                if !(1..=MAX_LANES).contains(lanes) {
                    return Some(format!("vectors have 1 to {MAX_LANES} elements, not {lanes}"));
                }
                scalar_problem(*scalar)
            }
            Type::Array(element, _) => {
                self.nested(Arc::as_ptr(element) as usize, ty, depth, |this| this.problem(element, depth + 1))
            }
            Type::Struct(structure) => {
                self.nested(Arc::as_ptr(structure) as usize, ty, depth, |this| this.fields(structure, depth))
            }
        }
    }

    /// Looks into a nested type once; `address` is that of its shared part.
    fn nested(
        &mut self,
        address: usize,
        ty: &Type,
        depth: u32,
        look: impl FnOnce(&mut Self) -> Option<String>,
    ) -> Option<String> {
        if self.known_types.contains(&address) {
            return None;
        }
        if depth == 0 && ty.nodes_up_to(MAX_TYPE_NODES + 1) > MAX_TYPE_NODES {
            return Some(format!("a type is made of more than {MAX_TYPE_NODES} others"));
        }
        if depth >= MAX_DEPTH {
            return Some(format!("a type is nested more than {MAX_DEPTH} deep"));
        }
        let problem = look(self);
        // Only what was seen from the top is known to be shallow enough from there.
        if problem.is_none() && depth == 0 {
            self.known_types.insert(address);
        }
        problem
    }

    fn fields(&mut self, structure: &StructType, depth: u32) -> Option<String> {
        if structure.opaque {
            let name = structure.name.as_deref().unwrap_or("");
            return Some(format!("`%{name}` is opaque: its contents are not known"));
        }
        structure.fields.iter().find_map(|field| self.problem(field, depth + 1))
    }
}

fn scalar_problem(scalar: Scalar) -> Option<String> {
    match scalar {
        Scalar::Int(bits) if !(1..=64).contains(&bits) => {
            Some(format!("integers have 1 to 64 bits, not {bits}"))
        }
        Scalar::Ptr(space) if space.0 >= 1 << 24 => {
            Some(format!("address spaces are numbered below 2^24, not {}", space.0))
        }
        _ => None,
    }
}
