//! Simdgroup matrices: 8×8 values kept row by row, `<64 x T>`.
//!
//! AIR gives each lane two neighbouring elements. Lane L owns row 4·bit4(L) + (L>>1 & 3) and columns
//! 4·bit3(L) + 2·bit0(L) and the next. Products want rows, so a matrix is one vector of 64 in row order and
//! elements move only where a lane's pair is put in or taken out.
//!
//! Matrix functions work with all 32 lanes, whatever the mask.

use mw_air::intrinsics::MatrixOp;
use mw_air::{BinaryOp, Call, Inst, Scalar, Type, ValueId};

use super::values::{Emitter, LANES, Wide};
use crate::PassError;

/// Row and column of a lane's element `slot`.
fn place(lane: u32, slot: u32) -> (u32, u32) {
    let row = 4 * (lane >> 4 & 1) + (lane >> 1 & 3);
    let column = 4 * (lane >> 3 & 1) + 2 * (lane & 1) + slot;
    (row, column)
}

/// Lane and slot of an element.
pub(super) fn owner(row: u32, column: u32) -> (u32, u32) {
    let lane = (row >> 2) << 4 | (column >> 2) << 3 | (row & 3) << 1 | (column >> 1 & 1);
    (lane, column & 1)
}

impl Emitter<'_, '_> {
    /// A matrix from the lanes' first and second elements.
    pub(super) fn matrix_pack(&mut self, first: ValueId, second: ValueId) -> ValueId {
        let order = (0..64).map(|index| {
            let (lane, slot) = owner(index / 8, index % 8);
            (slot * LANES + lane) as i32
        });
        self.b().shuffle(first, second, order.collect())
    }

    /// The lanes' first (0) or second (1) elements.
    pub(super) fn matrix_slot(&mut self, matrix: ValueId, slot: u64) -> ValueId {
        let order = (0..LANES).map(|lane| {
            let (row, column) = place(lane, slot as u32);
            (row * 8 + column) as i32
        });
        self.b().shuffle(matrix, matrix, order.collect())
    }

    /// The mask of each element's owner.
    pub(super) fn matrix_mask(&mut self, mask: ValueId) -> ValueId {
        let order = (0..64).map(|index| owner(index / 8, index % 8).0 as i32);
        self.b().shuffle(mask, mask, order.collect())
    }

    /// Selection between matrices.
    pub(super) fn matrix_inst(&mut self, inst: &Inst) -> Result<ValueId, PassError> {
        let Inst::Select { condition, on_true, on_false, .. } = inst else {
            return Err(PassError::unsupported("arithmetic on whole simdgroup matrices".to_owned()));
        };
        if self.is_uniform(*condition) {
            let condition = self.uniform(*condition)?;
            let (on_true, on_false) = (self.uniform(*on_true)?, self.uniform(*on_false)?);
            return Ok(self.b().select(condition, on_true, on_false));
        }
        let condition = self.vector(*condition)?;
        let elements = self.matrix_mask(condition);
        let (on_true, on_false) = (self.uniform(*on_true)?, self.uniform(*on_false)?);
        Ok(self.b().select(elements, on_true, on_false))
    }

    pub(super) fn matrix_call(&mut self, op: MatrixOp, call: &Call) -> Result<Option<Wide>, PassError> {
        Ok(match op {
            MatrixOp::InitFilled { .. } => {
                let value = self.uniform_or_first(call.args[0])?;
                Some(Wide::Uniform(self.b().splat(value, 64)))
            }
            MatrixOp::InitDiagonal { .. } => {
                let value = self.uniform_or_first(call.args[0])?;
                let ty = Type::Vector(self.function.value_type(value).scalar().expect("scalar"), 64);
                let mut b = self.b();
                let filled = b.splat(value, 64);
                let zero = b.zero(&ty);
                let pick = |index: i32| if index / 8 == index % 8 { index } else { 64 + index };
                Some(Wide::Uniform(b.shuffle(filled, zero, (0..64).map(pick).collect())))
            }
            MatrixOp::MultiplyAccumulate { result, a, b, c } => {
                let (left, right, sum) =
                    (self.uniform(call.args[0])?, self.uniform(call.args[1])?, self.uniform(call.args[2])?);
                Some(Wide::Uniform(self.multiply_accumulate(result, (a, left), (b, right), (c, sum))))
            }
            MatrixOp::Load { element, .. } => {
                let addresses = self.tile_addresses(&call.args, element)?;
                let memory = Scalar::Int(element.bits() as u16);
                let full = self.full_mask();
                let align = element.bits() / 8;
                let mut halves = Vec::new();
                for address in addresses {
                    let bits = self.gather(memory, address, align, full);
                    halves.push(self.bits_to_value(bits, &Type::Scalar(element)));
                }
                Some(Wide::Uniform(self.matrix_pack(halves[0], halves[1])))
            }
            MatrixOp::Store { element, .. } => {
                let matrix = self.uniform(call.args[0])?;
                let addresses = self.tile_addresses(&call.args[1..], element)?;
                let full = self.full_mask();
                let align = element.bits() / 8;
                for (slot, address) in addresses.into_iter().enumerate() {
                    let value = self.matrix_slot(matrix, slot as u64);
                    let bits = self.value_bits(value, &Type::Scalar(element));
                    self.scatter(address, bits, align, full)?;
                }
                None
            }
        })
    }

    pub(super) fn uniform_or_first(&mut self, value: ValueId) -> Result<ValueId, PassError> {
        if self.is_uniform(value) {
            return self.uniform(value);
        }
        let vector = self.vector(value)?;
        Ok(self.b().extract(vector, 0))
    }

    /// Addresses of each lane's two elements of a tile in memory.
    fn tile_addresses(&mut self, args: &[ValueId], element: Scalar) -> Result<[ValueId; 2], PassError> {
        let base = self.uniform_or_first(args[0])?;
        let mut numbers = Vec::new();
        for arg in &args[1..] {
            numbers.push(self.uniform_or_first(*arg)?);
        }
        let (column_stride, row_stride, x, y) = match *numbers {
            // Up to AIR 2.7: elements of a row, origin, transposition.
            [pitch, x, y, transposed] => {
                let mut b = self.b();
                let one = b.int(&Type::I64, 1);
                (b.select(transposed, pitch, one), b.select(transposed, one, pitch), x, y)
            }
            // AIR 2.8: extent, strides, origin.
            [_, _, column, row, x, y] => (column, row, x, y),
            _ => return Err(PassError::invalid("a matrix access with an unknown signature".to_owned())),
        };
        let mut out = [base; 2];
        for (slot, address) in out.iter_mut().enumerate() {
            let rows = self.lane_constant(Scalar::Int(64), |lane| u64::from(place(lane, slot as u32).0));
            let columns = self.lane_constant(Scalar::Int(64), |lane| u64::from(place(lane, slot as u32).1));
            let scaled = |this: &mut Self, lanes: ValueId, origin: ValueId, stride: ValueId| {
                let mut b = this.b();
                let (origin, stride) = (b.splat(origin, LANES), b.splat(stride, LANES));
                let sum = b.binary(BinaryOp::Add, lanes, origin);
                b.binary(BinaryOp::Mul, sum, stride)
            };
            let across = scaled(self, columns, x, column_stride);
            let down = scaled(self, rows, y, row_stride);
            let mut b = self.b();
            let index = b.binary(BinaryOp::Add, across, down);
            let memory = Type::Scalar(Scalar::Int(element.bits() as u16));
            *address = b.gep(&memory, base, vec![index]);
        }
        Ok(out)
    }

    /// `a · b + c`: for each element a chain of fused multiply-adds with ascending k that starts from c.
    fn multiply_accumulate(
        &mut self,
        result: Scalar,
        (a_scalar, a): (Scalar, ValueId),
        (b_scalar, b): (Scalar, ValueId),
        (c_scalar, c): (Scalar, ValueId),
    ) -> ValueId {
        let half = [result, a_scalar, b_scalar, c_scalar].iter().all(|scalar| *scalar == Scalar::Half);
        let (left, right, mut sum) = if half {
            (a, b, c)
        } else {
            (self.widen_float(a_scalar, a), self.widen_float(b_scalar, b), self.widen_float(c_scalar, c))
        };
        for k in 0..8 {
            let mut builder = self.b();
            let column = builder.shuffle(left, left, (0..64).map(|index| index / 8 * 8 + k).collect());
            let row = builder.shuffle(right, right, (0..64).map(|index| k * 8 + index % 8).collect());
            let scalar = if half { Scalar::Half } else { Scalar::Float };
            sum = self.fused(scalar, &[column, row, sum]);
        }
        if half { sum } else { self.narrow_float(result, sum) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_one_owner() {
        let mut seen = [false; 64];
        for lane in 0..LANES {
            for slot in 0..2 {
                let (row, column) = place(lane, slot);
                assert_eq!(owner(row, column), (lane, slot));
                assert!(!std::mem::replace(&mut seen[(row * 8 + column) as usize], true));
            }
        }
    }
}
