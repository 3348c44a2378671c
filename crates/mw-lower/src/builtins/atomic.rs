//! Atomic functions.

use mw_air::{AddressSpace, CastOp, Flags, FloatPredicate, IntPredicate, Layout, Scalar, Type, ValueId};
use mw_msl::stdlib::table::AtomicKind;

use super::{Lowering, suffix};
use crate::error::LowerError;

/// Scope operands: who sees the access.
const THREADGROUP_SCOPE: u32 = 1;
const DEVICE_SCOPE: u32 = 2;

impl Lowering<'_, '_, '_> {
    /// `air.atomic.{global,local}.<name>[.{s,u}].<T>(pointer, …, order, scope, volatile)`
    pub(super) fn atomic(&mut self, kind: AtomicKind, name: &str) -> Result<Option<ValueId>, LowerError> {
        let object = self.argument(0)?;
        let element = self.element(0).ok_or_else(|| self.malformed())?;
        let ty = Type::Scalar(crate::types::memory_scalar(element));
        let is_bool = element == mw_msl::types::Scalar::Bool;
        let (space, scope) = match self.cx.ty(object).address_space() {
            Some(AddressSpace::DEVICE) => ("global", DEVICE_SCOPE),
            Some(AddressSpace::THREADGROUP) => ("local", THREADGROUP_SCOPE),
            _ => return Err(self.malformed()),
        };
        let sign = match (kind, element.is_float()) {
            (
                AtomicKind::Load | AtomicKind::Store | AtomicKind::Exchange | AtomicKind::CompareExchange,
                _,
            )
            | (_, true) => "",
            _ if self.is_signed() => "s.",
            _ => "u.",
        };
        let name = format!("air.atomic.{space}.{name}.{sign}{}", suffix(&ty));
        let (scope, volatile) = (self.cx.i32(scope), self.cx.bool(true));
        let value = |lowering: &mut Self, index: usize| -> Result<ValueId, LowerError> {
            let value = lowering.argument(index)?;
            Ok(if is_bool { lowering.cx.cast(CastOp::ZExt, value, &Type::I8) } else { value })
        };
        let to_value = |lowering: &mut Self, raw: ValueId| {
            if !is_bool {
                return raw;
            }
            let zero = lowering.cx.zero(&Type::I8);
            lowering.cx.icmp(IntPredicate::Ne, raw, zero)
        };
        Ok(match kind {
            AtomicKind::Load => {
                let order = self.argument(1)?;
                let raw = self.cx.call_value(&name, &ty, &[object, order, scope, volatile]);
                Some(to_value(self, raw))
            }
            AtomicKind::Store | AtomicKind::Void64 => {
                let (new, order) = (value(self, 1)?, self.argument(2)?);
                self.cx.call_external(&name, &Type::Void, &[object, new, order, scope, volatile]);
                None
            }
            AtomicKind::Exchange | AtomicKind::Sum | AtomicKind::Integer => {
                let (new, order) = (value(self, 1)?, self.argument(2)?);
                let raw = self.cx.call_value(&name, &ty, &[object, new, order, scope, volatile]);
                Some(to_value(self, raw))
            }
            AtomicKind::CompareExchange => {
                let (expected, new) = (self.argument(1)?, value(self, 2)?);
                let (success, failure) = (self.argument(3)?, self.argument(4)?);
                let before = self.cx.load(&ty, expected, Layout::align(&ty));
                let arguments = [object, expected, new, success, failure, scope, volatile];
                let old = self.cx.call_value(&name, &ty, &arguments);
                Some(if ty.scalar() == Some(Scalar::Float) {
                    self.cx.fcmp(FloatPredicate::Ueq, before, old, Flags::NONE)
                } else {
                    self.cx.icmp(IntPredicate::Eq, before, old)
                })
            }
        })
    }
}
