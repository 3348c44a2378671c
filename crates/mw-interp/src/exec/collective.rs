//! Operations that look at other lanes: reductions, scans, shuffles, votes. `mw-air/SEMANTICS.md` fixes
//! their order.

use super::lanes::{Lanes, for_lanes};
use crate::number;
use crate::program::{Combine, FunctionCode, LANES, List, Op, Reg, Row, ShuffleKind, VoteKind};

/// One step of a reduction or an atomic: left is what was there.
pub(super) fn combine(op: Combine, flushing: bool, x: u64, y: u64) -> u64 {
    match op {
        Combine::Int(op, bits) => number::int2(op, bits, x, y),
        Combine::Float(op, format) => number::float2(op, format, flushing, x, y),
        Combine::Keep => x,
        Combine::Exchange => y,
        Combine::Nand(bits) => !(x & y) & number::mask(bits),
    }
}

/// Executes a collective; gives `false` for any other operation.
pub(super) fn collective(lanes: &mut Lanes<'_>, code: &FunctionCode, op: &Op) -> bool {
    match *op {
        Op::Reduce { op, neutral, group, dst, a } => reduce(lanes, op, neutral, usize::from(group), dst, a),
        Op::Prefix { op, neutral, first, inclusive, group, dst, a } => {
            let group = usize::from(group);
            let (scanned, undef) = scan(lanes, op, neutral, group, a);
            if inclusive {
                lanes.put(dst, &scanned, undef);
            } else {
                let first = lanes.row(first)[0];
                let below: Row =
                    std::array::from_fn(|lane| if lane % group == 0 { first } else { scanned[lane - 1] });
                let mut moved = 0;
                for lane in (0..LANES).filter(|lane| lane % group != 0) {
                    moved |= (undef >> (lane - 1) & 1) << lane;
                }
                lanes.put(dst, &below, moved);
            }
        }
        Op::Shuffle { kind, group, dst, list } => shuffle(lanes, code, kind, usize::from(group), dst, list),
        Op::Vote { kind, group, dst, a } => vote(lanes, kind, usize::from(group), dst, a),
        Op::LaneIndex { dst } => {
            let row: Row = std::array::from_fn(|lane| lane as u64);
            lanes.put(dst, &row, 0);
        }
        _ => return false,
    }
    true
}

/// The operand in active lanes, the neutral element in the others.
fn padded(lanes: &Lanes<'_>, neutral: Reg, a: Reg) -> Row {
    let (row, neutral) = (lanes.row(a), lanes.row(neutral)[0]);
    std::array::from_fn(|lane| if lanes.mask >> lane & 1 != 0 { row[lane] } else { neutral })
}

/// Active lanes of the group that `lane` is in.
fn group_mask(active: u32, group: usize, lane: usize) -> u32 {
    let all = if group >= LANES { u32::MAX } else { (1 << group) - 1 };
    active & all << (lane / group * group)
}

fn reduce(lanes: &mut Lanes<'_>, op: Combine, neutral: Reg, group: usize, dst: Reg, a: Reg) {
    let flushing = lanes.program.flushing;
    let mut values = padded(lanes, neutral, a);
    let mut distance = group / 2;
    while distance > 0 {
        let old = values;
        for (lane, value) in values.iter_mut().enumerate() {
            *value = combine(op, flushing, old[lane], old[lane ^ distance]);
        }
        distance /= 2;
    }
    let undef = lanes.undef(a) & lanes.mask;
    let mut spread = 0;
    if undef != 0 {
        for lane in 0..LANES {
            spread |= u32::from(group_mask(undef, group, lane) != 0) << lane;
        }
    }
    lanes.put(dst, &values, spread);
}

/// Inclusive scan in all lanes.
fn scan(lanes: &Lanes<'_>, op: Combine, neutral: Reg, group: usize, a: Reg) -> (Row, u32) {
    let flushing = lanes.program.flushing;
    let mut values = padded(lanes, neutral, a);
    let mut undef = lanes.undef(a) & lanes.mask;
    let mut distance = 1;
    while distance < group {
        let (old, old_undef) = (values, undef);
        for lane in (0..LANES).filter(|lane| lane % group >= distance) {
            values[lane] = combine(op, flushing, old[lane - distance], old[lane]);
            undef |= (old_undef >> (lane - distance) & 1) << lane;
        }
        distance *= 2;
    }
    (values, undef)
}

/// What a lane receives.
enum Source {
    Value(usize),
    Fill(usize),
}

fn source(kind: ShuffleKind, group: usize, lane: usize, index: u64, modulo: u64, active: u32) -> Source {
    let base = lane / group * group;
    let place = lane - base;
    let size = group as u64;
    let inside = |place: u64| base + (place % size) as usize;
    let own = Source::Value(lane);
    match kind {
        ShuffleKind::Index => Source::Value(inside(index)),
        ShuffleKind::Xor => Source::Value(inside(place as u64 ^ index)),
        ShuffleKind::Up if index > place as u64 => own,
        ShuffleKind::Up => Source::Value(lane - index as usize),
        ShuffleKind::Down if index >= size - place as u64 => own,
        ShuffleKind::Down => Source::Value(lane + index as usize),
        ShuffleKind::RotateUp => Source::Value(inside(place as u64 + size - index % size)),
        ShuffleKind::RotateDown => Source::Value(inside(place as u64 + index % size)),
        ShuffleKind::First => {
            Source::Value(group_mask(active, group, lane).trailing_zeros() as usize & (LANES - 1))
        }
        ShuffleKind::FillUp | ShuffleKind::FillDown => {
            let width = if modulo == 0 || modulo > size { size } else { modulo };
            let within = place as u64 % width;
            let place = place as u64;
            if kind == ShuffleKind::FillUp {
                if within < index {
                    Source::Fill(inside(place.wrapping_add(width).wrapping_sub(index)))
                } else {
                    Source::Value(lane - index as usize)
                }
            } else if index >= width - within {
                Source::Fill(inside(place.wrapping_add(index).wrapping_sub(width)))
            } else {
                Source::Value(lane + index as usize)
            }
        }
    }
}

fn shuffle(
    lanes: &mut Lanes<'_>,
    code: &FunctionCode,
    kind: ShuffleKind,
    group: usize,
    dst: Reg,
    list: List,
) {
    let list = code.list(list);
    let at = |position: usize| list.get(position).copied().unwrap_or(list[0]);
    let (value, value_undef) = (*lanes.row(list[0]), lanes.undef(list[0]));
    let (index, index_undef) = (*lanes.row(at(1)), lanes.undef(at(1)));
    let (fill, fill_undef) = (*lanes.row(at(2)), lanes.undef(at(2)));
    let modulo = *lanes.row(at(3));
    let mut out = [0; LANES];
    let mut undef = if list.len() > 1 { index_undef } else { 0 };
    let active = lanes.mask;
    for_lanes(active, |lane| {
        let (row, bits, from) = match source(kind, group, lane, index[lane], modulo[lane], active) {
            Source::Value(from) => (&value, value_undef, from),
            Source::Fill(from) => (&fill, fill_undef, from),
        };
        // A lane that does not run gives zero.
        if active >> from & 1 != 0 {
            out[lane] = row[from];
            undef |= (bits >> from & 1) << lane;
        }
    });
    lanes.put(dst, &out, undef);
}

fn vote(lanes: &mut Lanes<'_>, kind: VoteKind, group: usize, dst: Reg, a: Reg) {
    let (row, undef) = (*lanes.row(a), lanes.undef(a) & lanes.mask);
    let active = lanes.mask;
    let mut set = 0_u32;
    for_lanes(active, |lane| set |= u32::from(row[lane] != 0) << lane);
    let mut out = [0; LANES];
    let mut spread = 0;
    for_lanes(active, |lane| {
        let mine = group_mask(active, group, lane);
        let base = lane / group * group;
        let lead = mine.trailing_zeros() as usize & (LANES - 1);
        // A ballot of a quadgroup has its first lane in bit 0.
        let mask = u64::from(mine >> base);
        out[lane] = match kind {
            VoteKind::Any => u64::from(set & mine != 0),
            VoteKind::All => u64::from(set & mine == mine),
            VoteKind::Ballot => u64::from((set & mine) >> base),
            VoteKind::MaskAll => u64::from(row[lane] & mask == mask),
            VoteKind::MaskAny => u64::from(row[lane] & mask != 0),
            VoteKind::IsFirst => u64::from(lane == lead),
            VoteKind::IsUniform => {
                let mut same = true;
                for_lanes(mine, |other| same &= row[other] == row[lead]);
                u64::from(same)
            }
        };
        let depends = match kind {
            VoteKind::IsFirst => 0,
            VoteKind::MaskAll | VoteKind::MaskAny => undef & 1 << lane,
            VoteKind::Any | VoteKind::All | VoteKind::Ballot | VoteKind::IsUniform => undef & mine,
        };
        spread |= u32::from(depends != 0) << lane;
    });
    lanes.put(dst, &out, spread);
}
