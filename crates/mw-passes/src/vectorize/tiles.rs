//! Simdgroup matrices read from memory row by row.
//!
//! **Before** each lane reads its two elements, `mw.matrix.pack` makes a matrix of them: two gathers.
//! **After** eight reads of eight elements side by side, where the lanes' addresses form the rows (or the
//! columns) of a tile, all lanes are active and the addresses are what they seem; the gathers otherwise.
//! **Requires** both loads in one block, with no store between them that may write what they read.
//! **Cost** O(matrices × instructions between their two loads).

use mw_air::{BinaryOp, BlockId, Callee, CastOp, Inst, InstId, IntPredicate, Layout, Scalar, Type, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::values::{Emitter, LANES, Wide};
use crate::PassError;
use crate::scalarize::MATRIX_PACK;

/// A tile that two loads read.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    first: InstId,
    second: InstId,
    /// Byte offset of each row (or column) from lane 0's first element.
    lines: [i64; 8],
    /// The lines are columns.
    transposed: bool,
    /// Bytes from a lane's first element to its second.
    step: i64,
    size: u64,
}

/// The tiles of a block, by the load that comes first.
#[derive(Debug, Default)]
pub(super) struct Tiles {
    by_load: FxHashMap<InstId, Tile>,
    /// All loads of tiles.
    loads: FxHashSet<InstId>,
    /// Matrices that were read, by the values of the two loads.
    read: FxHashMap<(ValueId, ValueId), ValueId>,
}

impl Tiles {
    /// Whether a load is part of a tile.
    pub(super) fn contains(&self, load: InstId) -> bool {
        self.loads.contains(&load)
    }
}

impl Emitter<'_, '_> {
    /// Looks for tiles that `block` reads.
    pub(super) fn find_tiles(&mut self, block: BlockId, positions: &FxHashMap<InstId, usize>) {
        let mut tiles = Tiles::default();
        for id in &self.source.block(block).insts {
            if let Some(tile) = self.tile_of(*id, positions) {
                let leader =
                    if positions[&tile.first] < positions[&tile.second] { tile.first } else { tile.second };
                tiles.loads.extend([tile.first, tile.second]);
                tiles.by_load.entry(leader).or_insert(tile);
            }
        }
        self.tiles = tiles;
    }

    /// The value under a widening of 16-bit floats, with that float format.
    fn under_widening(&self, value: ValueId) -> (ValueId, Option<Scalar>) {
        if let Some(id) = self.source.defining_inst(value)
            && let Inst::Cast { op: CastOp::FpExt, value: from, .. } = self.source.inst(id).inst
        {
            return (from, self.source.value_type(from).scalar());
        }
        (value, None)
    }

    fn tile_of(&self, pack: InstId, positions: &FxHashMap<InstId, usize>) -> Option<Tile> {
        let Inst::Call(call) = &self.source.inst(pack).inst else { return None };
        let Callee::Function(id) = call.callee else { return None };
        if !self.shared.module.function(id).name.starts_with(MATRIX_PACK) {
            return None;
        }
        let (a, a_widened) = self.under_widening(call.args[0]);
        let (b, b_widened) = self.under_widening(call.args[1]);
        let (first, second) = (self.source.defining_inst(a)?, self.source.defining_inst(b)?);
        if a_widened != b_widened || first == second {
            return None;
        }
        let load = |id: InstId| match self.source.inst(id).inst {
            Inst::Load { ptr, volatile: false, ordering: None, .. } => Some(ptr),
            _ => None,
        };
        let (p, q) = (load(first)?, load(second)?);
        let space = self.source.value_type(p).address_space()?;
        if space == mw_air::AddressSpace::THREAD || self.source.value_type(q).address_space() != Some(space) {
            return None;
        }
        let (start, end) = (*positions.get(&first)?, *positions.get(&second)?);
        let (start, end) = (start.min(end), start.max(end));
        if !self.is_ready(p, positions, start, 0) || !self.is_ready(q, positions, start, 0) {
            return None;
        }
        if self.writes_between(positions, start, end, self.root(p), space) {
            return None;
        }
        let size = Layout::store_size(self.source.value_type(a));
        let (lanes, partners) = (self.uniformity.offsets(p)?, self.uniformity.offsets(q)?);
        if lanes != partners {
            return None;
        }
        let (mut form, mut other) = (self.linear(p, 0), self.linear(q, 0));
        let step = other.take_constant() - form.take_constant();
        if form != other {
            return None;
        }
        let (lines, transposed) = lines(&lanes, step, size as i64)?;
        Some(Tile { first, second, lines, transposed, step, size })
    }

    /// Whether an instruction between two positions may write memory behind `root`.
    fn writes_between(
        &self,
        positions: &FxHashMap<InstId, usize>,
        start: usize,
        end: usize,
        root: Option<ValueId>,
        space: mw_air::AddressSpace,
    ) -> bool {
        positions.iter().any(|(id, position)| {
            (start..end).contains(position)
                && match &self.source.inst(*id).inst {
                    Inst::Store { ptr, .. } => {
                        let other = self.source.value_type(*ptr).address_space();
                        other.is_none_or(|other| Self::may_alias(self.root(*ptr), other, root, space))
                    }
                    Inst::Call(call) => self.may_touch_memory(call),
                    Inst::AtomicRmw { .. } | Inst::CmpXchg { .. } | Inst::Fence { .. } => true,
                    _ => false,
                }
        })
    }

    /// Reads the tile that starts with this load; `false` when there is none.
    pub(super) fn emit_tile(&mut self, block: BlockId, id: InstId) -> Result<bool, PassError> {
        let Some(tile) = self.tiles.by_load.remove(&id) else { return Ok(false) };
        let operands = |this: &Self, id: InstId| match this.source.inst(id).inst {
            Inst::Load { ptr, align, .. } => (ptr, align, this.source.inst(id).result.expect("has a value")),
            _ => unreachable!("is a load"),
        };
        let (p, p_align, a) = operands(self, tile.first);
        let (q, q_align, b) = operands(self, tile.second);
        self.emit_early(block, p)?;
        self.emit_early(block, q)?;
        let align = p_align.min(q_align).clamp(1, tile.size as u32);
        let (Wide::Affine { base, ok, .. }, Wide::Affine { base: partner, ok: partner_ok, .. }) =
            (self.wide(p)?, self.wide(q)?)
        else {
            return Err(PassError::invalid("a tile without lanes".to_owned()));
        };
        let mask = self.mask();
        let mut condition = self.all(mask);
        for ok in [ok, partner_ok].into_iter().flatten() {
            condition = self.b().binary(BinaryOp::And, condition, ok);
        }
        if !self.is_apart_by(p, q, tile.step) {
            let mut builder = self.b();
            let step = builder.int(&Type::I64, tile.step as u64);
            let expected = builder.gep(&Type::I8, base, vec![step]);
            let same = builder.icmp(IntPredicate::Eq, partner, expected);
            condition = builder.binary(BinaryOp::And, condition, same);
        }
        let memory = Scalar::Int(tile.size as u16 * 8);
        let bits = self.if_else(
            condition,
            |this| Ok(this.read_lines(&tile, memory, base, align)),
            |this| {
                let (first, second) = (this.vector(p)?, this.vector(q)?);
                let first = this.gather(memory, first, align, mask);
                let second = this.gather(memory, second, align, mask);
                Ok(this.matrix_pack(first, second))
            },
        )?;
        let ty = self.source.value_type(a).clone();
        let value = self.bits_to_value(bits, &ty);
        self.tiles.read.insert((a, b), value);
        for (slot, result) in [(0, a), (1, b)] {
            let lanes = self.matrix_slot(value, slot);
            self.set(result, Wide::Varying(lanes));
        }
        Ok(true)
    }

    fn read_lines(&mut self, tile: &Tile, memory: Scalar, base: ValueId, align: u32) -> ValueId {
        let mut lines = Vec::new();
        for offset in tile.lines {
            let mut b = self.b();
            let offset = b.int(&Type::I64, offset as u64);
            let place = b.gep(&Type::I8, base, vec![offset]);
            lines.push(b.load(&Type::Vector(memory, 8), place, align));
        }
        let whole = self.concatenate(lines);
        if !tile.transposed {
            return whole;
        }
        self.b().shuffle(whole, whole, (0..64).map(|index| index % 8 * 8 + index / 8).collect())
    }

    /// Vectors of equal length, a power of two of them, one behind the other.
    pub(super) fn concatenate(&mut self, mut list: Vec<ValueId>) -> ValueId {
        while list.len() > 1 {
            let mut joined = Vec::new();
            for pair in list.chunks(2) {
                let lanes = self.function.value_type(pair[0]).lanes().expect("vector") as i32;
                joined.push(self.b().shuffle(pair[0], pair[1], (0..2 * lanes).collect()));
            }
            list = joined;
        }
        list[0]
    }

    /// The matrix that was read for these two elements of each lane, if one was.
    pub(super) fn tile_matrix(&mut self, first: ValueId, second: ValueId) -> Option<ValueId> {
        let (a, format) = self.under_widening(first);
        let (b, other) = self.under_widening(second);
        if format != other {
            return None;
        }
        let matrix = self.tiles.read.get(&(a, b)).copied()?;
        Some(match format {
            Some(format) => self.widen_float(format, matrix),
            None => matrix,
        })
    }
}

/// Offsets of the tile's rows, or of its columns, when the lanes' addresses form some.
fn lines(lanes: &[i64; LANES as usize], step: i64, size: i64) -> Option<([i64; 8], bool)> {
    let address = |row: usize, column: usize| {
        let (lane, slot) = super::matrix::owner(row as u32, column as u32);
        lanes[lane as usize] + i64::from(slot) * step
    };
    let rows =
        (0..8).all(|row| (0..8).all(|column| address(row, column) == address(row, 0) + column as i64 * size));
    if rows {
        return Some((std::array::from_fn(|row| address(row, 0)), false));
    }
    let columns =
        (0..8).all(|column| (0..8).all(|row| address(row, column) == address(0, column) + row as i64 * size));
    columns.then(|| (std::array::from_fn(|column| address(0, column)), true))
}
