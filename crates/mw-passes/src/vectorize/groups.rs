//! Neighbouring strided accesses done as one wide access and shuffles.
//!
//! **Before** each lane reads `x[4·i]`, `x[4·i + 1]`, …: four gathers of 32 elements with a stride of 4.
//! **After** one read of 128 elements side by side and four shuffles, where all lanes are active and the
//! addresses are what they seem; the gathers otherwise.
//! **Requires** accesses of one block, of one size, whose addresses differ by constants below the stride,
//! with nothing between them that may write what is read (or touch what is written).
//! **Cost** O(accesses²) in a block in the worst case.
//!
//! That addresses differ by a constant is found by a guess at their linear form and checked by the code:
//! LLVM proves most checks away.

use std::collections::BTreeMap;

use mw_air::{
    AddressSpace, BinaryOp, BlockId, CastOp, Flags, Inst, InstId, IntPredicate, Layout, Scalar, Type,
    ValueDef, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::values::{Emitter, LANES, Wide};
use crate::PassError;
use crate::uniformity::Shape;

/// Widest distance between lanes that is read in one piece, in bytes.
const MAX_STRIDE_BYTES: i64 = 32;
/// Widest piece of one lane that is read or written at once, in bytes.
const MAX_PIECE_BYTES: i64 = 64;
/// Most elements of one lane in a group: shuffles of many small elements take the code generator seconds.
const MAX_PIECE: i64 = 16;
/// How deep a linear form looks into an address.
const MAX_DEPTH: u32 = 24;

/// Accesses that are done together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Instructions with the distance in bytes from the lowest address.
    pub(super) members: Vec<(InstId, i64)>,
    /// Bytes from one lane's elements to the next lane's; 0 when the lanes' addresses are apart, and each
    /// lane has its elements in one piece.
    stride: i64,
    pub(super) size: i64,
}

impl Group {
    /// Whether every element of a lane's piece is there once, and a power of two of them.
    fn is_one_piece(&self) -> bool {
        let count = self.members.len();
        let mut seen = vec![false; count];
        count.is_power_of_two()
            && count > 1
            && self.members.iter().all(|(_, at)| {
                seen.get_mut((at / self.size) as usize).is_some_and(|seen| !std::mem::replace(seen, true))
            })
    }
}

/// The groups of a block.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Loads, by the first of them.
    loads: FxHashMap<InstId, Group>,
    /// Stores, by the last of them.
    stores: FxHashMap<InstId, Group>,
    /// Stores that a later one does too.
    covered: FxHashSet<InstId>,
    /// What was read in pieces: the vectors of their chunks, by the values of their elements.
    pub(super) pieces: FxHashMap<Vec<ValueId>, Vec<ValueId>>,
}

/// An address as a sum: of what, how often, plus a constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Linear {
    terms: BTreeMap<(ValueId, bool), i64>,
    constant: i64,
}

impl Linear {
    /// The constant part, which is set to zero.
    pub(super) fn take_constant(&mut self) -> i64 {
        std::mem::take(&mut self.constant)
    }

    fn add(&mut self, other: &Self, scale: i64) {
        for (term, count) in &other.terms {
            let sum = self.terms.entry(*term).or_default();
            *sum = sum.wrapping_add(count.wrapping_mul(scale));
            if *sum == 0 {
                self.terms.remove(term);
            }
        }
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(scale));
    }
}

/// A group that may still grow.
struct Open {
    key: (Linear, i64, i64),
    members: Vec<(InstId, i64)>,
    root: Option<ValueId>,
    space: AddressSpace,
    position: usize,
}

impl Open {
    fn fits(&self, constant: i64) -> bool {
        let low = self.members.iter().map(|(_, at)| *at).min().unwrap_or(constant).min(constant);
        let high = self.members.iter().map(|(_, at)| *at).max().unwrap_or(constant).max(constant);
        let limit = if self.key.1 == 0 { MAX_PIECE_BYTES.min(MAX_PIECE * self.key.2) } else { self.key.1 };
        high - low < limit && (high - low) % self.key.2 == 0
    }

    fn close(self) -> Group {
        let low = self.members.iter().map(|(_, at)| *at).min().unwrap_or(0);
        let members = self.members.into_iter().map(|(id, at)| (id, at - low)).collect();
        Group { members, stride: self.key.1, size: self.key.2 }
    }
}

/// The search through one block.
#[derive(Default)]
struct Search {
    loads: Vec<Open>,
    stores: Vec<Open>,
    groups: Groups,
}

impl Search {
    /// Ends the groups of loads that `ends` chooses.
    fn close_loads(&mut self, ends: impl Fn(&Open) -> bool) {
        for open in self.loads.extract_if(.., |open| ends(open)) {
            let first = open.members[0].0;
            let group = open.close();
            if group.stride != 0 || group.is_one_piece() {
                self.groups.loads.insert(first, group);
            }
        }
    }

    /// Ends the groups of stores that `ends` chooses.
    fn close_stores(&mut self, ends: impl Fn(&Open) -> bool) {
        for open in self.stores.extract_if(.., |open| ends(open)) {
            let group = open.close();
            // Between the elements of a lane and the next lane's there must be no gap.
            let gapless = group.stride == 0 || group.members.len() as i64 == group.stride / group.size;
            if !gapless || !group.is_one_piece() {
                continue;
            }
            let last = group.members[group.members.len() - 1].0;
            self.groups.covered.extend(group.members.iter().map(|(id, _)| *id).filter(|id| *id != last));
            self.groups.stores.insert(last, group);
        }
    }

    fn close_all(&mut self) {
        self.close_loads(|_| true);
        self.close_stores(|_| true);
    }
}

impl Emitter<'_, '_> {
    /// Looks for accesses of `block` that can be done together.
    pub(super) fn find_groups(&mut self, block: BlockId) {
        let mut search = Search::default();
        let insts = self.source.block(block).insts.clone();
        let positions: FxHashMap<InstId, usize> =
            insts.iter().enumerate().map(|(position, id)| (*id, position)).collect();
        self.find_tiles(block, &positions);
        let neighbours = self.neighbours(&insts);
        for (position, id) in insts.iter().copied().enumerate() {
            let data = self.source.inst(id);
            match &data.inst {
                Inst::Load { ptr, volatile: false, ordering: None, .. } => {
                    let ty = self.source.value_type(data.result.expect("loads have a value")).clone();
                    let space = self.source.value_type(*ptr).address_space().unwrap_or(AddressSpace::THREAD);
                    if space == AddressSpace::THREAD {
                        continue;
                    }
                    let root = self.root(*ptr);
                    // What is read here may have been written by a store that is to be delayed.
                    search.close_stores(|open| Self::may_alias(open.root, open.space, root, space));
                    if self.tiles.contains(id) {
                        continue;
                    }
                    let Some((key, constant)) = self.group_key(*ptr, &ty, &neighbours) else { continue };
                    let found = search.loads.iter_mut().find(|open| {
                        open.key == key && open.fits(constant) && open.root == root && open.space == space
                    });
                    match found {
                        Some(open) if self.is_ready(*ptr, &positions, open.position, 0) => {
                            open.members.push((id, constant));
                        }
                        _ => search.loads.push(Open {
                            key,
                            members: vec![(id, constant)],
                            root,
                            space,
                            position,
                        }),
                    }
                }
                Inst::Store { ptr, value, volatile: false, ordering: None, .. } => {
                    let ty = self.source.value_type(*value).clone();
                    let space = self.source.value_type(*ptr).address_space().unwrap_or(AddressSpace::THREAD);
                    if space == AddressSpace::THREAD {
                        continue;
                    }
                    let root = self.root(*ptr);
                    search.close_loads(|open| Self::may_alias(open.root, open.space, root, space));
                    let key = self.group_key(*ptr, &ty, &neighbours);
                    let same = |open: &Open| {
                        key.as_ref().is_some_and(|(key, constant)| {
                            open.key == *key
                                && open.fits(*constant)
                                && open.members.iter().all(|(_, at)| at != constant)
                        })
                    };
                    search.close_stores(|open| {
                        !same(open) && Self::may_alias(open.root, open.space, root, space)
                    });
                    let Some((key, constant)) = key else { continue };
                    match search.stores.iter_mut().find(|open| {
                        open.key == key
                            && open.fits(constant)
                            && open.members.iter().all(|(_, at)| *at != constant)
                    }) {
                        Some(open) => open.members.push((id, constant)),
                        None => {
                            search.stores.push(Open {
                                key,
                                members: vec![(id, constant)],
                                root,
                                space,
                                position,
                            });
                        }
                    }
                }
                Inst::Load { .. }
                | Inst::Store { .. }
                | Inst::AtomicRmw { .. }
                | Inst::CmpXchg { .. }
                | Inst::Fence { .. } => {
                    search.close_all();
                }
                Inst::Call(call) if self.may_touch_memory(call) => {
                    search.close_all();
                }
                _ => {}
            }
        }
        search.close_all();
        self.groups = search.groups;
    }

    pub(super) fn may_touch_memory(&self, call: &mw_air::Call) -> bool {
        let mw_air::Callee::Function(id) = call.callee else { return true };
        let name = &*self.shared.module.function(id).name;
        if name.starts_with("llvm.") || name.starts_with("mw.") {
            return false;
        }
        !matches!(
            mw_air::Intrinsic::classify(name),
            Some(
                mw_air::Intrinsic::Simd { .. }
                    | mw_air::Intrinsic::Quad { .. }
                    | mw_air::Intrinsic::Matrix(mw_air::intrinsics::MatrixOp::MultiplyAccumulate { .. })
                    | mw_air::Intrinsic::SimdgroupSize { .. }
                    | mw_air::Intrinsic::ThreadIndexInSimdgroup { .. }
            )
        )
    }

    /// The kernel parameter or global that an address comes from.
    pub(super) fn root(&self, ptr: ValueId) -> Option<ValueId> {
        let mut value = ptr;
        for _ in 0..64 {
            match &self.source.value(value).def {
                ValueDef::Param(_) => return self.kernel.map(|_| value),
                ValueDef::Const(_) => return Some(value),
                ValueDef::Inst(id) => match &self.source.inst(*id).inst {
                    Inst::Gep { base, .. } => value = *base,
                    Inst::Cast { op: CastOp::Bitcast | CastOp::AddrSpaceCast, value: from, .. }
                    | Inst::Freeze { value: from } => value = *from,
                    Inst::Phi { incoming, .. } => {
                        // A pointer that a loop advances comes from where it started.
                        let outside: Vec<ValueId> = incoming
                            .iter()
                            .map(|(_, from)| *from)
                            .filter(|from| !self.advances(*from, value))
                            .collect();
                        match *outside {
                            [start] => value = start,
                            _ => return None,
                        }
                    }
                    _ => return None,
                },
            }
        }
        None
    }

    /// Whether `value` is `start` plus something.
    fn advances(&self, value: ValueId, start: ValueId) -> bool {
        let mut value = value;
        for _ in 0..8 {
            if value == start {
                return true;
            }
            let Some(id) = self.source.defining_inst(value) else { return false };
            let Inst::Gep { base, .. } = &self.source.inst(id).inst else { return false };
            value = *base;
        }
        false
    }

    /// Whether accesses through these roots may touch the same bytes. Metal's compiler assumes that buffer
    /// arguments do not overlap, and says so with `air-buffer-no-alias`.
    pub(super) fn may_alias(
        first: Option<ValueId>,
        first_space: AddressSpace,
        second: Option<ValueId>,
        second_space: AddressSpace,
    ) -> bool {
        if first_space != second_space {
            return false;
        }
        match (first, second) {
            (Some(first), Some(second)) => first == second,
            _ => true,
        }
    }

    /// The form of an address that counts on a stride of 1, without counting on it: constant part apart.
    fn form_without_units(&self, ptr: ValueId) -> Option<(Linear, i64)> {
        let is_guess = |(value, _): &(ValueId, bool)| {
            self.source.defining_inst(*value).is_some_and(|id| match self.source.inst(id).inst {
                Inst::Binary { op: BinaryOp::Mul, lhs, rhs, .. } => {
                    self.uniformity.is_unit(lhs) || self.uniformity.is_unit(rhs)
                }
                _ => false,
            })
        };
        if !self.linear(ptr, 0).terms.keys().any(is_guess) {
            return None;
        }
        let mut form = self.linear_form(ptr, 0, false);
        let constant = form.take_constant();
        Some((form, constant))
    }

    /// Forms of addresses that have a neighbour in the block whatever the stride is: each lane has a piece,
    /// and lanes that lie side by side are not what the stride is for.
    fn neighbours(&self, insts: &[InstId]) -> FxHashSet<Linear> {
        let mut seen: FxHashMap<Linear, i64> = FxHashMap::default();
        let mut neighbours = FxHashSet::default();
        for id in insts {
            let (Inst::Load { ptr, .. } | Inst::Store { ptr, .. }) = self.source.inst(*id).inst else {
                continue;
            };
            if self.source.value_type(ptr).address_space() == Some(AddressSpace::THREAD) {
                continue;
            }
            let Some((form, constant)) = self.form_without_units(ptr) else { continue };
            if *seen.entry(form.clone()).or_insert(constant) != constant {
                neighbours.insert(form);
            }
        }
        neighbours
    }

    /// What accesses of one group have in common, and the constant by which they differ.
    fn group_key(
        &self,
        ptr: ValueId,
        ty: &Type,
        neighbours: &FxHashSet<Linear>,
    ) -> Option<((Linear, i64, i64), i64)> {
        let size = Layout::store_size(ty) as i64;
        if !neighbours.is_empty()
            && let Some((form, constant)) = self.form_without_units(ptr)
            && neighbours.contains(&form)
        {
            return Some(((form, 0, size), constant));
        }
        let stride = match self.shape(ptr) {
            Shape::Uniform => return None,
            Shape::Strided(stride) if stride == size => return None,
            Shape::Strided(stride)
                if stride > size
                    && stride <= MAX_STRIDE_BYTES.min(MAX_PIECE * size)
                    && stride % size == 0 =>
            {
                stride
            }
            Shape::Strided(_) | Shape::Table(_) | Shape::Varying => 0,
        };
        let mut form = self.linear(ptr, 0);
        let constant = std::mem::take(&mut form.constant);
        Some(((form, stride, size), constant))
    }

    pub(super) fn linear(&self, value: ValueId, depth: u32) -> Linear {
        self.linear_form(value, depth, true)
    }

    /// A guess at the linear form of a number or an address. With `units`, strides that are taken for 1 are.
    fn linear_form(&self, value: ValueId, depth: u32, units: bool) -> Linear {
        let mut form = Linear::default();
        if let Some(constant) = self.source.as_int(value) {
            let bits = self.source.value_type(value).scalar().map_or(64, Scalar::bits);
            form.constant = (constant as i64) << (64 - bits) >> (64 - bits);
            return form;
        }
        if units && self.uniformity.is_unit(value) {
            form.constant = 1;
            return form;
        }
        let whole = |extended: bool| {
            let mut form = Linear::default();
            form.terms.insert((value, extended), 1);
            form
        };
        let Some(id) = self.source.defining_inst(value).filter(|_| depth < MAX_DEPTH) else {
            return whole(false);
        };
        match &self.source.inst(id).inst {
            Inst::Gep { source, base, indices, .. } => {
                form = self.linear_form(*base, depth + 1, units);
                let mut ty = source.clone();
                for (position, index) in indices.iter().enumerate() {
                    if position > 0 {
                        if let Type::Struct(structure) = &ty {
                            let field = self.source.as_int(*index).unwrap_or(0);
                            form.constant += Layout::field_offset(structure, field as usize) as i64;
                            ty = ty.element(field).unwrap_or(Type::I8);
                            continue;
                        }
                        ty = ty.element(0).unwrap_or(Type::I8);
                    }
                    form.add(&self.linear_form(*index, depth + 1, units), Layout::alloc_size(&ty) as i64);
                }
                form
            }
            Inst::Cast { op: CastOp::ZExt | CastOp::SExt, value: from, .. } => {
                // A guess: that the sum does not wrap is checked by comparing addresses.
                self.linear_form(*from, depth + 1, units)
            }
            Inst::Binary { op: BinaryOp::Add, lhs, rhs, .. } => {
                form = self.linear_form(*lhs, depth + 1, units);
                form.add(&self.linear_form(*rhs, depth + 1, units), 1);
                form
            }
            Inst::Binary { op: BinaryOp::Or, lhs, rhs, flags } if flags.contains(Flags::DISJOINT) => {
                form = self.linear_form(*lhs, depth + 1, units);
                form.add(&self.linear_form(*rhs, depth + 1, units), 1);
                form
            }
            Inst::Binary { op: BinaryOp::Sub, lhs, rhs, .. } => {
                form = self.linear_form(*lhs, depth + 1, units);
                form.add(&self.linear_form(*rhs, depth + 1, units), -1);
                form
            }
            Inst::Binary { op: BinaryOp::Mul, lhs, rhs, .. } => match self.source.as_int(*rhs) {
                Some(factor) => {
                    form.add(&self.linear_form(*lhs, depth + 1, units), factor as i64);
                    form
                }
                None => whole(false),
            },
            Inst::Binary { op: BinaryOp::Shl, lhs, rhs, .. } => match self.source.as_int(*rhs) {
                Some(count) if count < 32 => {
                    form.add(&self.linear_form(*lhs, depth + 1, units), 1 << count);
                    form
                }
                _ => whole(false),
            },
            _ => whole(false),
        }
    }

    /// Whether `value` can be computed at `position` of its block already: everything behind it that is
    /// defined later is arithmetic.
    pub(super) fn is_ready(
        &self,
        value: ValueId,
        positions: &FxHashMap<InstId, usize>,
        position: usize,
        depth: u32,
    ) -> bool {
        let Some(id) = self.source.defining_inst(value) else { return true };
        match positions.get(&id) {
            None => true,
            Some(at) if *at < position => true,
            Some(_) if depth >= MAX_DEPTH => false,
            Some(_) => {
                let inst = &self.source.inst(id).inst;
                if !matches!(inst, Inst::Gep { .. } | Inst::Binary { .. } | Inst::Cast { .. }) {
                    return false;
                }
                let mut ready = true;
                inst.for_each_operand(|operand| {
                    ready &= self.is_ready(operand, positions, position, depth + 1);
                });
                ready
            }
        }
    }

    /// Emits the arithmetic behind `value` where it has not been emitted yet.
    pub(super) fn emit_early(&mut self, block: BlockId, value: ValueId) -> Result<(), PassError> {
        if self.is_emitted(value) {
            return Ok(());
        }
        let Some(id) = self.source.defining_inst(value) else { return Ok(()) };
        for operand in self.source.inst(id).inst.operands() {
            self.emit_early(block, operand)?;
        }
        self.emit_inst(block, id)
    }

    /// Emits the group that starts with this load; `false` when it is in none.
    pub(super) fn emit_load_group(&mut self, block: BlockId, id: InstId) -> Result<bool, PassError> {
        let Some(group) = self.groups.loads.remove(&id) else { return Ok(false) };
        let mut pointers = Vec::new();
        for (member, at) in &group.members {
            let Inst::Load { ptr, align, .. } = self.source.inst(*member).inst else {
                unreachable!("is a load")
            };
            self.emit_early(block, ptr)?;
            pointers.push((ptr, *at, align));
        }
        let memory = Scalar::Int(group.size as u16 * 8);
        if group.stride == 0 {
            return self.emit_pieces_load(block, &group, &pointers, memory);
        }
        let (condition, base) = self.group_condition(&pointers)?;
        let span = pointers.iter().map(|(_, at, _)| at / group.size).max().unwrap_or(0);
        let steps = group.stride / group.size;
        let count = (i64::from(LANES) - 1) * steps + span + 1;
        let align =
            pointers.iter().map(|(_, _, align)| *align).min().unwrap_or(0).clamp(1, group.size as u32);
        let mask = self.mask();
        let bits = self.if_else_all(
            condition,
            |this| {
                this.prefetch(block, pointers[0].0, base, count * group.size);
                if span + 1 == steps && (steps as u64).is_power_of_two() {
                    let run = this.load_run(memory, steps, base, align);
                    let elements = this.deinterleave(&run);
                    return Ok(pointers
                        .iter()
                        .map(|(_, at, _)| elements[(at / group.size) as usize])
                        .collect());
                }
                // Nothing behind the last element may be read.
                let wide = this.b().load(&Type::Vector(memory, count as u32), base, align);
                let lanes = |at: i64| {
                    let first = at / group.size;
                    (0..i64::from(LANES)).map(|lane| (lane * steps + first) as i32).collect()
                };
                Ok(pointers.iter().map(|(_, at, _)| this.b().shuffle(wide, wide, lanes(*at))).collect())
            },
            |this| {
                pointers
                    .iter()
                    .map(|(ptr, _, _)| {
                        let addresses = this.vector(*ptr)?;
                        Ok(this.gather(memory, addresses, align, mask))
                    })
                    .collect()
            },
        )?;
        for ((member, _), bits) in group.members.iter().zip(bits) {
            let result = self.source.inst(*member).result.expect("loads have a value");
            let ty = self.source.value_type(result).clone();
            let value = self.bits_to_value(bits, &ty);
            self.set(result, Wide::Varying(value));
        }
        Ok(true)
    }

    /// Emits the group that ends with this store; `false` when it is in none. A store that a later one
    /// covers is skipped.
    pub(super) fn emit_store_group(&mut self, id: InstId) -> Result<bool, PassError> {
        if self.groups.covered.contains(&id) {
            return Ok(true);
        }
        let Some(group) = self.groups.stores.remove(&id) else { return Ok(false) };
        let mut pointers = Vec::new();
        let mut values = Vec::new();
        let mut sources = Vec::new();
        for (member, at) in &group.members {
            let Inst::Store { ptr, value, align, .. } = self.source.inst(*member).inst else {
                unreachable!("is a store")
            };
            pointers.push((ptr, *at, align));
            sources.push(value);
            let ty = self.source.value_type(value).clone();
            let vector = self.vector(value)?;
            values.push(self.value_bits(vector, &ty));
        }
        if group.stride == 0 {
            return self.emit_pieces_store(&pointers, &sources, &values, group.size);
        }
        let (condition, base) = self.group_condition(&pointers)?;
        let align =
            pointers.iter().map(|(_, _, align)| *align).min().unwrap_or(0).clamp(1, group.size as u32);
        let steps = (group.stride / group.size) as usize;
        let mask = self.mask();
        self.if_else_void(
            condition,
            |this| {
                let mut slots = vec![values[0]; steps];
                for ((_, at, _), value) in pointers.iter().zip(&values) {
                    slots[(at / group.size) as usize] = *value;
                }
                let run = this.interleave(&slots);
                this.store_run(&run, base, align);
                Ok(())
            },
            |this| {
                for ((ptr, _, _), value) in pointers.iter().zip(&values) {
                    let addresses = this.vector(*ptr)?;
                    this.scatter(addresses, *value, align, mask)?;
                }
                Ok(())
            },
        )?;
        Ok(true)
    }

    /// `count` vectors that lie one behind the other.
    pub(super) fn load_run(&mut self, memory: Scalar, count: i64, base: ValueId, align: u32) -> Vec<ValueId> {
        let ty = Type::Vector(memory, LANES);
        let bytes = Layout::store_size(&ty);
        let mut run = Vec::new();
        for index in 0..count as u64 {
            let mut b = self.b();
            let offset = b.int(&Type::I64, index * bytes);
            let place = b.gep(&Type::I8, base, vec![offset]);
            run.push(b.load(&ty, place, align));
        }
        run
    }

    /// Writes vectors one behind the other.
    pub(super) fn store_run(&mut self, run: &[ValueId], base: ValueId, align: u32) {
        for (index, vector) in (0..).zip(run) {
            let bytes = Layout::store_size(self.function.value_type(*vector));
            let mut b = self.b();
            let offset = b.int(&Type::I64, index * bytes);
            let place = b.gep(&Type::I8, base, vec![offset]);
            b.store(place, *vector, align);
        }
    }

    /// The pointer of the lowest element.
    pub(super) fn lowest(pointers: &[(ValueId, i64, u32)]) -> Result<ValueId, PassError> {
        pointers
            .iter()
            .find(|(_, at, _)| *at == 0)
            .map(|(ptr, _, _)| *ptr)
            .ok_or_else(|| PassError::invalid("a group without lowest address".to_owned()))
    }

    /// Where an address starts, and the constant by which it is further.
    fn constant_distance(&self, ptr: ValueId) -> (ValueId, i64) {
        let (mut value, mut distance) = (ptr, 0);
        for _ in 0..MAX_DEPTH {
            let Some(id) = self.source.defining_inst(value) else { break };
            let Inst::Gep { base, indices, .. } = &self.source.inst(id).inst else { break };
            if indices.iter().any(|index| self.source.as_int(*index).is_none()) {
                break;
            }
            distance += self.linear(value, 0).constant - self.linear(*base, 0).constant;
            value = *base;
        }
        (value, distance)
    }

    /// Whether two addresses differ by this constant for certain.
    pub(super) fn is_apart_by(&self, first: ValueId, second: ValueId, distance: i64) -> bool {
        let (a, x) = self.constant_distance(first);
        let (b, y) = self.constant_distance(second);
        a == b && y - x == distance
    }

    /// Whether all lanes are active and all addresses lie as the group says; and the lowest address.
    fn group_condition(&mut self, pointers: &[(ValueId, i64, u32)]) -> Result<(ValueId, ValueId), PassError> {
        let mask = self.mask();
        let mut condition = self.all(mask);
        let mut lowest = None;
        let mut bases = Vec::new();
        let first = Self::lowest(pointers)?;
        for (ptr, at, _) in pointers {
            let Wide::Affine { base, ok, .. } = self.wide(*ptr)? else {
                return Err(PassError::invalid("an address of a group is not strided".to_owned()));
            };
            if let Some(ok) = ok {
                condition = self.b().binary(BinaryOp::And, condition, ok);
            }
            if *at == 0 {
                lowest = Some(base);
            }
            if !self.is_apart_by(first, *ptr, *at) {
                bases.push((base, *at));
            }
        }
        let lowest = lowest.ok_or_else(|| PassError::invalid("a group without lowest address".to_owned()))?;
        for (base, at) in bases {
            if base == lowest {
                continue;
            }
            let mut b = self.b();
            let offset = b.int(&Type::I64, at as u64);
            let expected = b.gep(&Type::I8, lowest, vec![offset]);
            let same = b.icmp(IntPredicate::Eq, base, expected);
            condition = b.binary(BinaryOp::And, condition, same);
        }
        Ok((condition, lowest))
    }
}
