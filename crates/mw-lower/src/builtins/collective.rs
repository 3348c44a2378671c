//! Functions among the lanes of a simdgroup or quadgroup, and barriers.

use mw_air::{Type, ValueId};
use mw_msl::types::TypeId;

use super::{Lowering, suffix};
use crate::error::LowerError;

/// Lanes of a quadgroup.
const QUAD: u64 = 4;
/// The scope operand that stands for a simdgroup: in the library's enumeration and from AIR 2.8 on, and
/// before.
const SIMDGROUP_SCOPE: u64 = 4;
const OLD_SIMDGROUP_SCOPE: u64 = 1;

impl Lowering<'_, '_, '_> {
    /// `air.simd_<name>`, `air.quad_<name>`.
    pub(super) fn collective(
        &mut self,
        group: &str,
        name: &str,
        result: TypeId,
    ) -> Result<ValueId, LowerError> {
        let ret = self.value_type(result)?;
        let stem = format!("air.{group}_{name}");
        let name = match name {
            "all" | "any" | "is_first" => stem,
            "ballot" => format!("{stem}.{}", suffix(&ret)),
            "vote_all" | "vote_any" => format!("{stem}.{}", suffix(&self.argument_type(0)?)),
            _ => {
                let sign = match (ret.is_int(), self.is_signed()) {
                    (false, _) => "",
                    (true, true) => "s.",
                    (true, false) => "u.",
                };
                format!("{stem}.{sign}{}", suffix(&ret))
            }
        };
        let mut arguments = self.arguments.to_vec();
        if name.contains("_and_fill_") && arguments.len() == 3 {
            // Without a modulo the whole group is one.
            arguments.push(if group == "quad" {
                self.cx.int(&Type::I16, QUAD)
            } else {
                self.cx.call_value("air.get_simdgroup_size.i16", &Type::I16, &[])
            });
        }
        Ok(self.cx.call_value(&name, &ret, &arguments))
    }

    /// A barrier or fence, its operands being the library's own numbers.
    pub(super) fn barrier(&mut self, name: &str) {
        self.cx.call_external(name, &Type::Void, self.arguments);
    }

    pub(super) fn simdgroup_barrier(&mut self) -> Result<(), LowerError> {
        let (flags, scope) = self.arguments2()?;
        let is_default = self.cx.function.as_int(scope) == Some(SIMDGROUP_SCOPE);
        let scope = if is_default && self.cx.air_version() < (2, 8) {
            self.cx.int(&Type::I32, OLD_SIMDGROUP_SCOPE)
        } else {
            scope
        };
        self.cx.call_external("air.simdgroup.barrier", &Type::Void, &[flags, scope]);
        Ok(())
    }

    /// `air.get_simdgroup_size.<T>` and its like: the argument only tells the type.
    pub(super) fn identity(&mut self, stem: &str, result: TypeId) -> Result<ValueId, LowerError> {
        let ret = self.value_type(result)?;
        Ok(self.cx.call_value(&format!("{stem}.{}", suffix(&ret)), &ret, &[]))
    }

    /// The lanes for which true is true.
    pub(super) fn active_threads_mask(&mut self) -> ValueId {
        let yes = self.cx.bool(true);
        self.cx.call_value("air.simd_ballot.i64", &Type::I64, &[yes])
    }
}
