//! Operations among the lanes of a simdgroup or quadgroup.
//!
//! `SEMANTICS.md` of `mw-air` fixes the order: reductions are xor butterflies from the widest distance
//! down, scans go up from distance 1, lanes that do not run count as the neutral element and are read as
//! zero.

use mw_air::intrinsics::{CollectiveOp, Operand, Sign};
use mw_air::{BinaryOp, Call, CastOp, IntPredicate, Scalar, Type, ValueId};

use super::values::{Emitter, LANES, MASK, Wide, lowered};
use crate::PassError;

/// What a reduction does with two lanes.
#[derive(Clone, Copy)]
enum Combine {
    Int(BinaryOp),
    IntExtreme(&'static str),
    Float(BinaryOp),
    FloatExtreme { greatest: bool },
}

impl Emitter<'_, '_> {
    pub(super) fn collective(
        &mut self,
        name: &str,
        op: CollectiveOp,
        ty: Operand,
        call: &Call,
        group: u32,
    ) -> Result<Wide, PassError> {
        let scalar = ty.scalar;
        let whole = group == LANES;
        Ok(match op {
            CollectiveOp::Sum
            | CollectiveOp::Product
            | CollectiveOp::Min
            | CollectiveOp::Max
            | CollectiveOp::And
            | CollectiveOp::Or
            | CollectiveOp::Xor => {
                let (combine, neutral) =
                    combine(op, ty).ok_or_else(|| PassError::unsupported(format!("`{name}`")))?;
                let value = self.vector(call.args[0])?;
                let value = self.padded(value, neutral);
                if whole {
                    Wide::Uniform(self.reduce_all(combine, scalar, value))
                } else {
                    Wide::Varying(self.reduce_groups(combine, scalar, value, group))
                }
            }
            CollectiveOp::PrefixInclusiveSum
            | CollectiveOp::PrefixInclusiveProduct
            | CollectiveOp::PrefixExclusiveSum
            | CollectiveOp::PrefixExclusiveProduct => {
                let sum = matches!(op, CollectiveOp::PrefixInclusiveSum | CollectiveOp::PrefixExclusiveSum);
                let base = if sum { CollectiveOp::Sum } else { CollectiveOp::Product };
                let (combine, neutral) =
                    combine(base, ty).ok_or_else(|| PassError::unsupported(format!("`{name}`")))?;
                let value = self.vector(call.args[0])?;
                let value = self.padded(value, neutral);
                let scanned = self.scan(combine, scalar, value, neutral, group);
                if matches!(op, CollectiveOp::PrefixInclusiveSum | CollectiveOp::PrefixInclusiveProduct) {
                    Wide::Varying(scanned)
                } else {
                    // The first lane of a group starts from a plain zero or one.
                    let first = if sum { 0 } else { neutral };
                    Wide::Varying(self.shift_up(scanned, 1, first, group))
                }
            }
            CollectiveOp::Broadcast | CollectiveOp::Shuffle => {
                if whole && self.is_uniform(call.args[1]) {
                    let lane = self.uniform(call.args[1])?;
                    let value = self.active_or_zero(call.args[0])?;
                    let lane = self.lane_index(lane);
                    let ty = Type::Scalar(lowered(scalar));
                    return Ok(Wide::Uniform(
                        self.b().push(mw_air::Inst::ExtractElement { vector: value, index: lane }, ty),
                    ));
                }
                let index = self.lane_operand(call.args[1])?;
                let value = self.active_or_zero(call.args[0])?;
                let index = self.inside_group(index, group);
                Wide::Varying(self.permute(value, index))
            }
            CollectiveOp::BroadcastFirst => {
                let value = self.active_or_zero(call.args[0])?;
                if whole {
                    let mask = self.mask();
                    let bits = self.mask_bits(mask);
                    let no = self.b().int(&Type::I1, 0);
                    let lane = self.call_value("llvm.cttz.i32", vec![bits, no], &Type::I32);
                    let lane = self.lane_index(lane);
                    let ty = Type::Scalar(lowered(scalar));
                    return Ok(Wide::Uniform(
                        self.b().push(mw_air::Inst::ExtractElement { vector: value, index: lane }, ty),
                    ));
                }
                let first = self.first_in_group(group);
                Wide::Varying(self.permute(value, first))
            }
            CollectiveOp::ShuffleXor
            | CollectiveOp::ShuffleUp
            | CollectiveOp::ShuffleDown
            | CollectiveOp::ShuffleRotateUp
            | CollectiveOp::ShuffleRotateDown => Wide::Varying(self.shuffle(op, call, group)?),
            CollectiveOp::ShuffleAndFillUp | CollectiveOp::ShuffleAndFillDown => {
                Wide::Varying(self.shuffle_and_fill(op, call, group)?)
            }
            CollectiveOp::All | CollectiveOp::Any if whole => {
                let set = self.active_predicate(call.args[0])?;
                let mask = self.mask();
                let (set, active) = (self.mask_bits(set), self.mask_bits(mask));
                let mut b = self.b();
                let zero = b.int(&Type::I32, 0);
                Wide::Uniform(if op == CollectiveOp::All {
                    b.icmp(IntPredicate::Eq, set, active)
                } else {
                    b.icmp(IntPredicate::Ne, set, zero)
                })
            }
            CollectiveOp::Ballot if whole => {
                let set = self.active_predicate(call.args[0])?;
                let bits = self.mask_bits(set);
                Wide::Uniform(self.b().cast(CastOp::ZExt, bits, &Type::Scalar(scalar)))
            }
            CollectiveOp::VoteAll | CollectiveOp::VoteAny if whole => {
                let value = self.vector(call.args[0])?;
                let mask = self.mask();
                let active = self.mask_bits(mask);
                let element = Type::Scalar(scalar);
                let active =
                    if scalar.bits() > 32 { self.b().cast(CastOp::ZExt, active, &element) } else { active };
                let active = self.splat(active);
                let mut b = self.b();
                let ty = b.ty(value);
                let zero = b.int(&ty, 0);
                let common = b.binary(BinaryOp::And, value, active);
                let vote = if op == CollectiveOp::VoteAll {
                    b.icmp(IntPredicate::Eq, common, active)
                } else {
                    b.icmp(IntPredicate::Ne, common, zero)
                };
                // The ballot that is voted on is uniform; so is the vote of the lanes that run.
                let none = b.zero(&MASK);
                let vote = b.select(mask, vote, none);
                Wide::Uniform(self.any(vote))
            }
            CollectiveOp::IsFirst => {
                let first = self.first_in_group(group);
                let lanes = self.iota(Scalar::Int(32), 1);
                Wide::Varying(self.b().icmp(IntPredicate::Eq, first, lanes))
            }
            CollectiveOp::All
            | CollectiveOp::Any
            | CollectiveOp::Ballot
            | CollectiveOp::VoteAll
            | CollectiveOp::VoteAny => Wide::Varying(self.quad_vote(op, scalar, call, group)?),
        })
    }

    /// The value in active lanes, the neutral element in the others.
    fn padded(&mut self, value: ValueId, neutral: u64) -> ValueId {
        let ty = self.function.value_type(value).clone();
        let mask = self.mask();
        let mut b = self.b();
        let neutral = if ty.is_float() { b.float_bits(&ty, neutral) } else { b.int(&ty, neutral) };
        b.select(mask, value, neutral)
    }

    fn active_or_zero(&mut self, value: ValueId) -> Result<ValueId, PassError> {
        let value = self.vector(value)?;
        let ty = self.function.value_type(value).clone();
        let mask = self.mask();
        let mut b = self.b();
        let zero = b.zero(&ty);
        Ok(b.select(mask, value, zero))
    }

    fn active_predicate(&mut self, value: ValueId) -> Result<ValueId, PassError> {
        self.active_or_zero(value)
    }

    fn combine(&mut self, combine: Combine, scalar: Scalar, a: ValueId, b: ValueId) -> ValueId {
        match combine {
            Combine::Int(op) => self.b().binary(op, a, b),
            Combine::IntExtreme(name) => self.same_type(name, vec![a, b], a),
            Combine::Float(op) => {
                let (wide_a, wide_b) = (self.widen_float(scalar, a), self.widen_float(scalar, b));
                let value = self.b().binary(op, wide_a, wide_b);
                self.narrow_float(scalar, value)
            }
            Combine::FloatExtreme { greatest } => {
                let (wide_a, wide_b) = (self.widen_float(scalar, a), self.widen_float(scalar, b));
                let value = self.float_extreme(wide_a, wide_b, greatest);
                self.narrow_float(scalar, value)
            }
        }
    }

    /// The butterfly's result, which all lanes share: each step halves the vector.
    fn reduce_all(&mut self, combine: Combine, scalar: Scalar, value: ValueId) -> ValueId {
        let mut value = value;
        let mut width = LANES as i32;
        while width > 1 {
            width /= 2;
            let mut b = self.b();
            let low = b.shuffle(value, value, (0..width).collect());
            let high = b.shuffle(value, value, (width..2 * width).collect());
            value = self.combine(combine, scalar, low, high);
        }
        self.b().extract(value, 0)
    }

    fn reduce_groups(&mut self, combine: Combine, scalar: Scalar, value: ValueId, group: u32) -> ValueId {
        let mut value = value;
        let mut distance = group as i32 / 2;
        while distance > 0 {
            let other =
                self.b().shuffle(value, value, (0..LANES as i32).map(|lane| lane ^ distance).collect());
            value = self.combine(combine, scalar, value, other);
            distance /= 2;
        }
        value
    }

    fn scan(
        &mut self,
        combine: Combine,
        scalar: Scalar,
        value: ValueId,
        neutral: u64,
        group: u32,
    ) -> ValueId {
        let mut value = value;
        let mut distance = 1;
        while distance < group {
            let below = self.shift_up(value, distance, neutral, group);
            let sum = self.combine(combine, scalar, below, value);
            // Lanes without a lane so far below keep their value, to the bit.
            let taken = self.lane_constant(Scalar::Int(1), |lane| u64::from(lane % group >= distance));
            value = self.b().select(taken, sum, value);
            distance *= 2;
        }
        value
    }

    /// Each lane gets the value `distance` lanes below in its group, or `fill`.
    fn shift_up(&mut self, value: ValueId, distance: u32, fill: u64, group: u32) -> ValueId {
        let ty = self.function.value_type(value).clone();
        let mut b = self.b();
        let fill = if ty.is_float() { b.float_bits(&ty, fill) } else { b.int(&ty, fill) };
        let pick = |lane: u32| {
            if lane % group >= distance { (lane - distance) as i32 } else { (LANES + lane) as i32 }
        };
        b.shuffle(value, fill, (0..LANES).map(pick).collect())
    }

    /// A lane operand (`i16`) as `<32 x i32>`.
    fn lane_operand(&mut self, value: ValueId) -> Result<ValueId, PassError> {
        let vector = self.vector(value)?;
        let word = Type::Vector(Scalar::Int(32), LANES);
        if *self.function.value_type(vector) == word {
            return Ok(vector);
        }
        Ok(self.b().cast(CastOp::ZExt, vector, &word))
    }

    fn lane_index(&mut self, lane: ValueId) -> ValueId {
        let ty = self.function.value_type(lane).clone();
        let mut b = self.b();
        let lane = if ty == Type::I32 { lane } else { b.cast(CastOp::ZExt, lane, &Type::I32) };
        let mask = b.int(&Type::I32, u64::from(LANES - 1));
        b.binary(BinaryOp::And, lane, mask)
    }

    /// First lane of the lane's group plus `index` modulo the group.
    fn inside_group(&mut self, index: ValueId, group: u32) -> ValueId {
        let word = Type::Vector(Scalar::Int(32), LANES);
        let first = self.lane_constant(Scalar::Int(32), |lane| u64::from(lane / group * group));
        let mut b = self.b();
        let mask = b.int(&word, u64::from(group - 1));
        let within = b.binary(BinaryOp::And, index, mask);
        b.binary(BinaryOp::Or, first, within)
    }

    fn first_in_group(&mut self, group: u32) -> ValueId {
        let mask = self.mask();
        let bits = self.mask_bits(mask);
        let bits = self.splat(bits);
        let members = self.lane_constant(Scalar::Int(32), |lane| {
            let all = if group >= LANES { u32::MAX } else { (1 << group) - 1 };
            u64::from(all << (lane / group * group))
        });
        let mine = self.b().binary(BinaryOp::And, bits, members);
        let no = self.b().int(&Type::I1, 0);
        let word = Type::Vector(Scalar::Int(32), LANES);
        let first = self.call_value("llvm.cttz.v32i32", vec![mine, no], &word);
        let mut b = self.b();
        let mask = b.int(&word, u64::from(LANES - 1));
        b.binary(BinaryOp::And, first, mask)
    }

    /// `value[index]` in each lane, for indices below 32.
    fn permute(&mut self, value: ValueId, index: ValueId) -> ValueId {
        let ty = self.function.value_type(value).clone();
        let scalar = ty.scalar().expect("vector");
        let int = ty.with_scalar(Scalar::Int(scalar.bits() as u16));
        let bits = if scalar.is_int() {
            value
        } else if ty.address_space().is_some() {
            self.b().cast(CastOp::PtrToInt, value, &int)
        } else {
            self.b().cast(CastOp::Bitcast, value, &int)
        };
        let memory = if scalar.bits() < 32 { Scalar::Int(32) } else { Scalar::Int(scalar.bits() as u16) };
        let memory_ty = Type::Vector(memory, LANES);
        let wide = if scalar.bits() < 32 { self.b().cast(CastOp::ZExt, bits, &memory_ty) } else { bits };
        let got = if self.shared.options.two_register_permutes && memory.bits() == 32 {
            self.permute_registers(wide, index)
        } else {
            let (slot, _) = self.spill(wide);
            // The index is below 32, and gathers are quicker with narrow ones.
            let addresses = self.b().gep(&Type::Scalar(memory), slot, vec![index]);
            let full = self.full_mask();
            self.gather(memory, addresses, memory.bits() / 8, full)
        };
        let mut b = self.b();
        let narrow = if scalar.bits() < 32 { b.cast(CastOp::Trunc, got, &int) } else { got };
        if scalar.is_int() {
            narrow
        } else if ty.address_space().is_some() {
            b.cast(CastOp::IntToPtr, narrow, &ty)
        } else {
            b.cast(CastOp::Bitcast, narrow, &ty)
        }
    }

    /// `value[index]` of 32-bit elements, by instructions that look into two registers.
    fn permute_registers(&mut self, value: ValueId, index: ValueId) -> ValueId {
        const HALF: i32 = LANES as i32 / 2;
        let half_ty = Type::Vector(Scalar::Int(32), HALF as u32);
        let halves = |this: &mut Self, vector: ValueId| {
            let mut b = this.b();
            let low = b.shuffle(vector, vector, (0..HALF).collect());
            (low, b.shuffle(vector, vector, (HALF..2 * HALF).collect()))
        };
        let (low, high) = halves(self, value);
        let (first, second) = halves(self, index);
        let name = "llvm.x86.avx512.vpermi2var.d.512";
        let first = self.call_value(name, vec![low, first, high], &half_ty);
        let second = self.call_value(name, vec![low, second, high], &half_ty);
        self.b().shuffle(first, second, (0..2 * HALF).collect())
    }

    /// Where a lane gets its value from, by constant distance.
    fn constant_source(op: CollectiveOp, lane: u32, distance: u64, group: u32) -> u32 {
        let (base, place, size) = (lane / group * group, u64::from(lane % group), u64::from(group));
        let inside = |place: u64| base + (place % size) as u32;
        match op {
            CollectiveOp::ShuffleXor => inside(place ^ distance),
            CollectiveOp::ShuffleUp if distance > place => lane,
            CollectiveOp::ShuffleUp => lane - distance as u32,
            CollectiveOp::ShuffleDown if distance >= size - place => lane,
            CollectiveOp::ShuffleDown => lane + distance as u32,
            CollectiveOp::ShuffleRotateUp => inside(place + size - distance % size),
            CollectiveOp::ShuffleRotateDown => inside(place + distance % size),
            _ => lane,
        }
    }

    fn shuffle(&mut self, op: CollectiveOp, call: &Call, group: u32) -> Result<ValueId, PassError> {
        let value = self.active_or_zero(call.args[0])?;
        if let Some(distance) = self.source.as_int(call.args[1]) {
            let pick = |lane| Self::constant_source(op, lane, distance, group) as i32;
            return Ok(self.b().shuffle(value, value, (0..LANES).map(pick).collect()));
        }
        let distance = self.lane_operand(call.args[1])?;
        let index = self.shuffle_index(op, distance, group);
        Ok(self.permute(value, index))
    }

    fn shuffle_index(&mut self, op: CollectiveOp, distance: ValueId, group: u32) -> ValueId {
        let word = Type::Vector(Scalar::Int(32), LANES);
        let lanes = self.iota(Scalar::Int(32), 1);
        let place = self.lane_constant(Scalar::Int(32), |lane| u64::from(lane % group));
        let last = self.lane_constant(Scalar::Int(32), |lane| u64::from(group - 1 - lane % group));
        let mut b = self.b();
        match op {
            CollectiveOp::ShuffleUp => {
                let outside = b.icmp(IntPredicate::Ugt, distance, place);
                let from = b.binary(BinaryOp::Sub, lanes, distance);
                b.select(outside, lanes, from)
            }
            CollectiveOp::ShuffleDown => {
                let outside = b.icmp(IntPredicate::Ugt, distance, last);
                let from = b.binary(BinaryOp::Add, lanes, distance);
                b.select(outside, lanes, from)
            }
            CollectiveOp::ShuffleRotateUp => {
                let size = b.int(&word, u64::from(group));
                let up = b.binary(BinaryOp::Add, place, size);
                let mask = b.int(&word, u64::from(group - 1));
                let distance = b.binary(BinaryOp::And, distance, mask);
                let from = b.binary(BinaryOp::Sub, up, distance);
                self.inside_group(from, group)
            }
            CollectiveOp::ShuffleRotateDown => {
                let from = b.binary(BinaryOp::Add, place, distance);
                self.inside_group(from, group)
            }
            _ => {
                let from = b.binary(BinaryOp::Xor, place, distance);
                self.inside_group(from, group)
            }
        }
    }

    /// Values `distance` lanes away within `modulo` lanes, with those beyond the end taken from the
    /// filling.
    fn shuffle_and_fill(&mut self, op: CollectiveOp, call: &Call, group: u32) -> Result<ValueId, PassError> {
        let value = self.active_or_zero(call.args[0])?;
        let fill = self.active_or_zero(call.args[1])?;
        let up = op == CollectiveOp::ShuffleAndFillUp;
        let size = u64::from(group);
        if let (Some(distance), Some(modulo)) =
            (self.source.as_int(call.args[2]), self.source.as_int(call.args[3]))
        {
            let width = if modulo == 0 || modulo > size { size } else { modulo };
            let pick = |lane: u32| -> i32 {
                let base = lane / group * group;
                let place = u64::from(lane % group);
                let within = place % width;
                let inside = |place: u64| (base + (place % size) as u32) as i32;
                if up && within < distance {
                    LANES as i32 + inside((place + width).wrapping_sub(distance))
                } else if up {
                    lane as i32 - distance as i32
                } else if distance >= width - within {
                    LANES as i32 + inside((place + distance).wrapping_sub(width))
                } else {
                    lane as i32 + distance as i32
                }
            };
            return Ok(self.b().shuffle(value, fill, (0..LANES).map(pick).collect()));
        }
        let word = Type::Vector(Scalar::Int(32), LANES);
        let distance = self.lane_operand(call.args[2])?;
        let modulo = self.lane_operand(call.args[3])?;
        let lanes = self.iota(Scalar::Int(32), 1);
        let place = self.lane_constant(Scalar::Int(32), |lane| u64::from(lane % group));
        let mut b = self.b();
        let (zero, full) = (b.int(&word, 0), b.int(&word, size));
        let none = b.icmp(IntPredicate::Eq, modulo, zero);
        let over = b.icmp(IntPredicate::Ugt, modulo, full);
        let whole = b.binary(BinaryOp::Or, none, over);
        let width = b.select(whole, full, modulo);
        let rows = self.small_quotient(place, width);
        let mut b = self.b();
        let start = b.binary(BinaryOp::Mul, rows, width);
        let within = b.binary(BinaryOp::Sub, place, start);
        let (outside, near, far) = if up {
            let outside = b.icmp(IntPredicate::Ult, within, distance);
            let near = b.binary(BinaryOp::Sub, lanes, distance);
            let above = b.binary(BinaryOp::Add, place, width);
            (outside, near, b.binary(BinaryOp::Sub, above, distance))
        } else {
            let left = b.binary(BinaryOp::Sub, width, within);
            let outside = b.icmp(IntPredicate::Uge, distance, left);
            let near = b.binary(BinaryOp::Add, lanes, distance);
            let above = b.binary(BinaryOp::Add, place, distance);
            (outside, near, b.binary(BinaryOp::Sub, above, width))
        };
        let near = b.select(outside, lanes, near);
        let far = self.inside_group(far, group);
        let (moved, filled) = (self.permute(value, near), self.permute(fill, far));
        Ok(self.b().select(outside, filled, moved))
    }

    fn quad_vote(
        &mut self,
        op: CollectiveOp,
        scalar: Scalar,
        call: &Call,
        group: u32,
    ) -> Result<ValueId, PassError> {
        let word = Type::Vector(Scalar::Int(32), LANES);
        let mask = self.mask();
        let active = self.mask_bits(mask);
        let active = self.splat(active);
        let shift = self.lane_constant(Scalar::Int(32), |lane| u64::from(lane / group * group));
        let mut b = self.b();
        let low = b.int(&word, u64::from((1_u32 << group) - 1));
        let active = b.binary(BinaryOp::LShr, active, shift);
        let active = b.binary(BinaryOp::And, active, low);
        let zero = b.int(&word, 0);
        if matches!(op, CollectiveOp::VoteAll | CollectiveOp::VoteAny) {
            let value = self.vector(call.args[0])?;
            let bits = scalar.bits();
            let mut b = self.b();
            let value = match bits {
                32 => value,
                33.. => b.cast(CastOp::Trunc, value, &word),
                _ => b.cast(CastOp::ZExt, value, &word),
            };
            let common = b.binary(BinaryOp::And, value, active);
            return Ok(if op == CollectiveOp::VoteAll {
                b.icmp(IntPredicate::Eq, common, active)
            } else {
                b.icmp(IntPredicate::Ne, common, zero)
            });
        }
        let set = self.active_predicate(call.args[0])?;
        let set = self.mask_bits(set);
        let set = self.splat(set);
        let mut b = self.b();
        let set = b.binary(BinaryOp::LShr, set, shift);
        let set = b.binary(BinaryOp::And, set, low);
        Ok(match op {
            CollectiveOp::All => b.icmp(IntPredicate::Eq, set, active),
            CollectiveOp::Any => b.icmp(IntPredicate::Ne, set, zero),
            _ => {
                let ty = Type::Vector(scalar, LANES);
                match scalar.bits() {
                    32 => set,
                    33.. => b.cast(CastOp::ZExt, set, &ty),
                    _ => b.cast(CastOp::Trunc, set, &ty),
                }
            }
        })
    }
}

/// The operation, and the operand that changes nothing, as bits.
fn combine(op: CollectiveOp, ty: Operand) -> Option<(Combine, u64)> {
    let bits = ty.scalar.bits();
    let ones = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let float = |half: u64, bfloat: u64, single: u64| match ty.scalar {
        Scalar::Half => half,
        Scalar::BFloat => bfloat,
        _ => single,
    };
    if ty.scalar.is_float() {
        return Some(match op {
            CollectiveOp::Sum => (Combine::Float(BinaryOp::FAdd), float(0x8000, 0x8000, 0x8000_0000)),
            CollectiveOp::Product => (Combine::Float(BinaryOp::FMul), float(0x3c00, 0x3f80, 0x3f80_0000)),
            CollectiveOp::Min => {
                (Combine::FloatExtreme { greatest: false }, float(0x7c00, 0x7f80, 0x7f80_0000))
            }
            CollectiveOp::Max => {
                (Combine::FloatExtreme { greatest: true }, float(0xfc00, 0xff80, 0xff80_0000))
            }
            _ => return None,
        });
    }
    let signed = ty.sign == Sign::Signed;
    Some(match op {
        CollectiveOp::Sum => (Combine::Int(BinaryOp::Add), 0),
        CollectiveOp::Product => (Combine::Int(BinaryOp::Mul), 1),
        CollectiveOp::Min if signed => (Combine::IntExtreme("smin"), ones >> 1),
        CollectiveOp::Min => (Combine::IntExtreme("umin"), ones),
        CollectiveOp::Max if signed => (Combine::IntExtreme("smax"), ones ^ (ones >> 1)),
        CollectiveOp::Max => (Combine::IntExtreme("umax"), 0),
        CollectiveOp::And => (Combine::Int(BinaryOp::And), ones),
        CollectiveOp::Or => (Combine::Int(BinaryOp::Or), 0),
        CollectiveOp::Xor => (Combine::Int(BinaryOp::Xor), 0),
        _ => return None,
    })
}
