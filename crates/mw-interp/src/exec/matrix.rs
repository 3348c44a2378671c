//! 8×8 matrices: each lane holds a pair of neighbouring elements. All 32 lanes take part, whatever the mask.

use mw_backend::LaunchError;

use super::lanes::Lanes;
use super::{Here, Machine};
use crate::number::{self, Format};
use crate::program::{FunctionCode, LANES, List, MatrixFormats, Row};
use crate::shadow::Shadowed;

/// Rows and columns.
const SIDE: usize = 8;

/// Row and column of element `slot` of a lane's pair.
fn element_of(lane: usize, slot: usize) -> (usize, usize) {
    let row = 4 * (lane >> 4 & 1) + (lane >> 1 & 3);
    let column = 4 * (lane >> 3 & 1) + 2 * (lane & 1) + slot;
    (row, column)
}

/// Lane and slot that hold an element.
fn holder_of(row: usize, column: usize) -> (usize, usize) {
    let lane = (row >> 2) << 4 | (column >> 2) << 3 | (row & 3) << 1 | column >> 1 & 1;
    (lane, column & 1)
}

/// Both elements of every lane.
#[derive(Clone, Copy)]
struct Matrix {
    pairs: [Row; 2],
    undef: [u32; 2],
}

impl Matrix {
    const ZERO: Self = Self { pairs: [[0; LANES]; 2], undef: [0; 2] };

    fn of(lanes: &Lanes<'_>, code: &FunctionCode, list: List, at: usize) -> Self {
        let registers = code.list(list);
        let (first, second) = (registers[at], registers[at + 1]);
        Self {
            pairs: [*lanes.row(first), *lanes.row(second)],
            undef: [lanes.undef(first), lanes.undef(second)],
        }
    }

    fn at(&self, row: usize, column: usize) -> u64 {
        let (lane, slot) = holder_of(row, column);
        self.pairs[slot][lane]
    }

    fn is_undef(&self, row: usize, column: usize) -> bool {
        let (lane, slot) = holder_of(row, column);
        self.undef[slot] >> lane & 1 != 0
    }

    /// Writes it to all lanes of the first two registers of the list.
    fn write(&self, lanes: &mut Lanes<'_>, code: &FunctionCode, list: List) {
        for slot in 0..2 {
            lanes.put_lanes(u32::MAX, code.list(list)[slot], &self.pairs[slot], self.undef[slot]);
        }
    }
}

/// Every element the value of the first active lane, or only the diagonal.
pub(super) fn fill(lanes: &mut Lanes<'_>, code: &FunctionCode, diagonal: bool, list: List) {
    let value = code.list(list)[2];
    let lead = lanes.lead();
    let (bits, undef) = (lanes.row(value)[lead], lanes.undef(value) >> lead & 1 != 0);
    let mut out = Matrix::ZERO;
    for slot in 0..2 {
        for lane in 0..LANES {
            let (row, column) = element_of(lane, slot);
            if !diagonal || row == column {
                out.pairs[slot][lane] = bits;
                out.undef[slot] |= u32::from(undef) << lane;
            }
        }
    }
    out.write(lanes, code, list);
}

/// `left * right + addend`: for each element a chain of fused multiply-adds, k ascending.
pub(super) fn multiply(lanes: &mut Lanes<'_>, code: &FunctionCode, formats: MatrixFormats, list: List) {
    let flushing = lanes.program.flushing;
    let (left, right, addend) = (
        Matrix::of(lanes, code, list, 2),
        Matrix::of(lanes, code, list, 4),
        Matrix::of(lanes, code, list, 6),
    );
    let MatrixFormats { left: lf, right: rf, addend: af, result } = formats;
    // All of one narrow format compute in it; anything else computes in binary32.
    let inner = if lf == rf && rf == af && af == result { result } else { Format::Float };
    let widen = |matrix: &Matrix, format: Format| -> [[u64; SIDE]; SIDE] {
        std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                number::float_to_float(format, inner, flushing, matrix.at(row, column))
            })
        })
    };
    let (a, b) = (widen(&left, lf), widen(&right, rf));
    let mut c = widen(&addend, af);
    for (row, sums) in c.iter_mut().enumerate() {
        for (column, sum) in sums.iter_mut().enumerate() {
            for k in 0..SIDE {
                *sum = number::fma(inner, flushing, a[row][k], b[k][column], *sum);
            }
        }
    }
    let any_undef = [left, right, addend].iter().any(|matrix| matrix.undef != [0; 2]);
    let mut out = Matrix::ZERO;
    for slot in 0..2 {
        for lane in 0..LANES {
            let (row, column) = element_of(lane, slot);
            out.pairs[slot][lane] = number::float_to_float(inner, result, flushing, c[row][column]);
            if any_undef {
                let undef = addend.is_undef(row, column)
                    || (0..SIDE).any(|k| left.is_undef(row, k) || right.is_undef(k, column));
                out.undef[slot] |= u32::from(undef) << lane;
            }
        }
    }
    out.write(lanes, code, list);
}

/// Addresses of both elements of every lane, from the first active lane's operands.
fn addresses(lanes: &Lanes<'_>, code: &FunctionCode, list: List, size: u8) -> [Row; 2] {
    let lead = lanes.lead();
    let operand = |index: usize| lanes.row(code.list(list)[index])[lead];
    let (base, column_step, row_step, x, y) = (operand(2), operand(3), operand(4), operand(5), operand(6));
    std::array::from_fn(|slot| {
        std::array::from_fn(|lane| {
            let (row, column) = element_of(lane, slot);
            let index = x
                .wrapping_add(column as u64)
                .wrapping_mul(column_step)
                .wrapping_add(y.wrapping_add(row as u64).wrapping_mul(row_step));
            base.wrapping_add(index.wrapping_mul(u64::from(size)))
        })
    })
}

impl Machine<'_> {
    pub(super) fn matrix_load(
        &mut self,
        lanes: &mut Lanes<'_>,
        private: &Shadowed,
        here: Here<'_>,
        size: u8,
        list: List,
    ) -> Result<(), LaunchError> {
        self.check_tile_address(lanes, here, here.code.list(list)[2]);
        let addresses = addresses(lanes, here.code, list, size);
        self.observe_tile(here, &addresses, size, false);
        let mut out = Matrix::ZERO;
        for (slot, row) in addresses.iter().enumerate() {
            for (lane, address) in row.iter().enumerate() {
                let (value, undef) = self.tile_read(private, here, lane, *address, size)?;
                out.pairs[slot][lane] = value;
                out.undef[slot] |= u32::from(undef) << lane;
            }
        }
        out.write(lanes, here.code, list);
        Ok(())
    }

    pub(super) fn matrix_store(
        &mut self,
        lanes: &Lanes<'_>,
        private: &mut Shadowed,
        here: Here<'_>,
        size: u8,
        list: List,
    ) -> Result<(), LaunchError> {
        self.check_tile_address(lanes, here, here.code.list(list)[2]);
        let addresses = addresses(lanes, here.code, list, size);
        self.observe_tile(here, &addresses, size, true);
        let matrix = Matrix::of(lanes, here.code, list, 0);
        for (slot, row) in addresses.iter().enumerate() {
            for (lane, address) in row.iter().enumerate() {
                let (value, undef) = (matrix.pairs[slot][lane], matrix.undef[slot] >> lane & 1 != 0);
                self.tile_write(private, here, lane, *address, size, value, undef)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_one_holder() {
        for lane in 0..LANES {
            for slot in 0..2 {
                let (row, column) = element_of(lane, slot);
                assert_eq!(holder_of(row, column), (lane, slot));
            }
        }
        // Read off the kernels' own address arithmetic.
        assert_eq!(element_of(0, 1), (0, 1));
        assert_eq!(element_of(9, 0), (0, 6));
        assert_eq!(element_of(31, 1), (7, 7));
    }
}
