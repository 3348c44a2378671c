//! The registers of a running frame, and operations on all active lanes.

use crate::program::{Edge, FunctionCode, LANES, Program, Reg, Row};

/// Registers of a frame, constants, and the lanes that run.
pub(super) struct Lanes<'a> {
    pub(super) rows: &'a mut [Row],
    /// Lanes whose value is undefined, by register.
    pub(super) undef: &'a mut [u32],
    pub(super) program: &'a Program,
    /// Active lanes.
    pub(super) mask: u32,
}

/// Calls `visit` with each lane of `mask`, lowest first.
#[inline(always)]
pub(super) fn for_lanes(mask: u32, mut visit: impl FnMut(usize)) {
    let mut left = mask;
    while left != 0 {
        visit(left.trailing_zeros() as usize & (LANES - 1));
        left &= left - 1;
    }
}

impl Lanes<'_> {
    #[inline(always)]
    pub(super) fn row(&self, register: Reg) -> &Row {
        match register.place() {
            Ok(index) => &self.rows[index],
            Err(index) => &self.program.constants[index],
        }
    }

    /// Lanes, active or not, in which a register is undefined.
    #[inline(always)]
    pub(super) fn undef(&self, register: Reg) -> u32 {
        match register.place() {
            Ok(index) => self.undef[index],
            Err(index) => self.program.constants_undef[index],
        }
    }

    /// Lowest active lane.
    #[inline(always)]
    pub(super) fn lead(&self) -> usize {
        self.mask.trailing_zeros() as usize & (LANES - 1)
    }

    /// Writes the active lanes of a register.
    #[inline(always)]
    pub(super) fn put(&mut self, register: Reg, values: &Row, undef: u32) {
        self.put_lanes(self.mask, register, values, undef);
    }

    /// Writes some lanes of a register.
    #[inline(always)]
    pub(super) fn put_lanes(&mut self, mask: u32, register: Reg, values: &Row, undef: u32) {
        let index = register.0 as usize;
        let row = &mut self.rows[index];
        if mask == u32::MAX {
            *row = *values;
        } else {
            for (lane, (slot, value)) in row.iter_mut().zip(values).enumerate() {
                if mask >> lane & 1 != 0 {
                    *slot = *value;
                }
            }
        }
        self.undef[index] = self.undef[index] & !mask | undef & mask;
    }

    /// `dst = f(a)` in the active lanes; undefined where `undef` says.
    #[inline(always)]
    fn map(&mut self, dst: Reg, undef: u32, f: impl Fn(usize) -> u64) {
        let mask = self.mask;
        let index = dst.0 as usize;
        let row = &mut self.rows[index];
        if mask == u32::MAX {
            for (lane, slot) in row.iter_mut().enumerate() {
                *slot = f(lane);
            }
        } else {
            for (lane, slot) in row.iter_mut().enumerate() {
                if mask >> lane & 1 != 0 {
                    *slot = f(lane);
                }
            }
        }
        self.undef[index] = self.undef[index] & !mask | undef & mask;
    }

    #[inline(always)]
    pub(super) fn map1(&mut self, dst: Reg, a: Reg, f: impl Fn(u64) -> u64) {
        let (x, undef) = (*self.row(a), self.undef(a));
        self.map(dst, undef, |lane| f(x[lane]));
    }

    #[inline(always)]
    pub(super) fn map2(&mut self, dst: Reg, a: Reg, b: Reg, f: impl Fn(u64, u64) -> u64) {
        let (x, y) = (*self.row(a), *self.row(b));
        let undef = self.undef(a) | self.undef(b);
        self.map(dst, undef, |lane| f(x[lane], y[lane]));
    }

    #[inline(always)]
    pub(super) fn map3(&mut self, dst: Reg, [a, b, c]: [Reg; 3], f: impl Fn(u64, u64, u64) -> u64) {
        let (x, y, z) = (*self.row(a), *self.row(b), *self.row(c));
        let undef = self.undef(a) | self.undef(b) | self.undef(c);
        self.map(dst, undef, |lane| f(x[lane], y[lane], z[lane]));
    }

    /// Bitwise and/or: a defined operand that decides the result alone makes it defined.
    #[inline(always)]
    pub(super) fn decide(&mut self, dst: Reg, a: Reg, b: Reg, deciding: u64) {
        let (a_undef, b_undef) = (self.undef(a), self.undef(b));
        let any = (a_undef | b_undef) & self.mask;
        if any != 0 {
            let (x, y) = (*self.row(a), *self.row(b));
            let mut decided = 0;
            for_lanes(any, |lane| {
                let by_a = a_undef >> lane & 1 == 0 && x[lane] == deciding;
                let by_b = b_undef >> lane & 1 == 0 && y[lane] == deciding;
                decided |= u32::from(by_a || by_b) << lane;
            });
            self.undef[dst.0 as usize] &= !decided;
        }
    }

    /// Moves the φ-functions' values of an edge, in the lanes of `mask`.
    pub(super) fn travel(&mut self, code: &FunctionCode, edge: &Edge, mask: u32) {
        let moves = &code.moves[edge.start as usize..][..edge.len as usize];
        if edge.parallel {
            let values: Vec<(Row, u32)> =
                moves.iter().map(|m| (*self.row(m.src), self.undef(m.src))).collect();
            for (m, (row, undef)) in moves.iter().zip(values) {
                self.put_lanes(mask, m.dst, &row, undef);
            }
        } else {
            for m in moves {
                let (row, undef) = (*self.row(m.src), self.undef(m.src));
                self.put_lanes(mask, m.dst, &row, undef);
            }
        }
    }
}
