//! Functions on simdgroup matrices.

use mw_air::{Layout, Scalar, Type, ValueId};
use mw_msl::stdlib::table::MatrixKind;
use mw_msl::types::TypeId;

use super::{Lowering, suffix};
use crate::error::LowerError;

/// Rows and columns.
const SIDE: u64 = 8;
/// The value in AIR.
const ELEMENTS: u32 = 64;
const PAIR: Type = Type::Vector(Scalar::Int(64), 2);

impl Lowering<'_, '_, '_> {
    pub(super) fn simdgroup_matrix(
        &mut self,
        kind: MatrixKind,
        name: &str,
        result: TypeId,
    ) -> Result<Option<ValueId>, LowerError> {
        let stem = format!("air.simdgroup_matrix_8x8_{name}");
        match kind {
            MatrixKind::Init => {
                let ret = self.value_type(result)?;
                let number = self.argument_type(0)?;
                let name = format!("{stem}.{}.{}", suffix(&ret), suffix(&number));
                Ok(Some(self.cx.call_value(&name, &ret, self.arguments)))
            }
            MatrixKind::Load => {
                let (target, source) = self.arguments2()?;
                let fragment = self.fragment_of(0)?;
                let name = format!("{stem}.{}.{}", suffix(&fragment), self.pointer_suffix(1, &fragment)?);
                let mut arguments = vec![source];
                self.shape(&mut arguments)?;
                let value = self.cx.call_value(&name, &fragment, &arguments);
                self.cx.store(target, value, Layout::align(&fragment));
                Ok(None)
            }
            MatrixKind::Store => {
                let (value, target) = self.arguments2()?;
                let fragment = self.cx.ty(value);
                let name = format!("{stem}.{}.{}", suffix(&fragment), self.pointer_suffix(1, &fragment)?);
                let mut arguments = vec![value, target];
                self.shape(&mut arguments)?;
                self.cx.call_external(&name, &Type::Void, &arguments);
                Ok(None)
            }
            MatrixKind::Multiply | MatrixKind::MultiplyAccumulate => {
                let (target, a, b) = self.arguments3()?;
                let fragment = self.fragment_of(0)?;
                let c =
                    if kind == MatrixKind::Multiply { self.cx.zero(&fragment) } else { self.argument(3)? };
                let mut name = format!("{stem}.{}", suffix(&fragment));
                for operand in [a, b, c] {
                    name.push('.');
                    name.push_str(&suffix(&self.cx.ty(operand)));
                }
                let value = self.cx.call_value(&name, &fragment, &[a, b, c]);
                self.cx.store(target, value, Layout::align(&fragment));
                Ok(None)
            }
        }
    }

    /// Type of the matrix that argument `index` refers to.
    fn fragment_of(&self, index: usize) -> Result<Type, LowerError> {
        let element = self.element(index).ok_or_else(|| self.malformed())?;
        Ok(Type::Vector(crate::types::scalar(element), ELEMENTS))
    }

    /// `p1f32`: the memory that argument `index` points to.
    fn pointer_suffix(&self, index: usize, fragment: &Type) -> Result<String, LowerError> {
        let space = self.argument_type(index)?.address_space().ok_or_else(|| self.malformed())?;
        let element = fragment.scalar().map_or_else(String::new, Scalar::suffix);
        Ok(format!("p{}{element}", space.0))
    }

    /// Where the elements stand: elements per row, origin, transposition (up to AIR 2.7), or extent, stride
    /// and origin.
    fn shape(&mut self, arguments: &mut Vec<ValueId>) -> Result<(), LowerError> {
        let (pitch, origin, transposed) = (self.argument(2)?, self.argument(3)?, self.argument(4)?);
        if self.cx.air_version() < (2, 8) {
            arguments.extend([pitch, origin, transposed]);
            return Ok(());
        }
        let poison = self.cx.poison(&PAIR);
        let (side, one) = (self.cx.i64(SIDE), self.cx.i64(1));
        let mut pair = |first: ValueId, second: ValueId| {
            let vector = self.cx.insert(poison, first, 0);
            self.cx.insert(vector, second, 1)
        };
        let (extent, stride) = (pair(pitch, side), pair(one, pitch));
        let (extent_transposed, stride_transposed) = (pair(side, pitch), pair(pitch, one));
        let (extent, stride) = match self.cx.function.as_int(transposed) {
            Some(0) => (extent, stride),
            Some(_) => (extent_transposed, stride_transposed),
            None => {
                let extent = self.cx.select(transposed, extent_transposed, extent);
                (extent, self.cx.select(transposed, stride_transposed, stride))
            }
        };
        arguments.extend([extent, stride, origin]);
        Ok(())
    }
}
