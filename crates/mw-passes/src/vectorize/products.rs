//! Products of simdgroup matrices, two or four at a time.
//!
//! **Before** `d0 = a·b0 + c0` and `d1 = a·b1 + c1`.
//! **After** one product of `a` with the 8×16 matrix `[b0 b1]` (8×32 for four): rows of 16 fill a vector
//! register, and each element of `a` is read from memory once, as a broadcast.
//! **Requires** all products in one block, their operands there before the first.
//! **Ensures** the order of additions of each element: ascending k from c.
//!
//! A wide accumulator stays as it is through chains of products and round loops: only where one of its
//! parts is used alone is it taken apart. It lives on the stack and comes into registers for one product at
//! a time, by volatile accesses: left to itself LLVM keeps all accumulators of a kernel under way at once,
//! four times what there are registers for, and moves them at every step.

use mw_air::intrinsics::{Intrinsic, MatrixOp};
use mw_air::{BlockId, Callee, Constant, Function, Inst, InstId, Scalar, Type, TypedConstant, ValueId};
use rustc_hash::FxHashMap;

use super::values::Emitter;
use crate::PassError;
use crate::control::Control;
use crate::scalarize::is_matrix;

/// Which matrices lie side by side.
#[derive(Debug, Default)]
pub(super) struct Bands {
    /// Band and place in it of a value.
    place: FxHashMap<ValueId, (usize, usize)>,
    /// Values of a band, left to right.
    members: Vec<Vec<ValueId>>,
    /// The wide matrix of a band, once emitted.
    whole: Vec<Option<ValueId>>,
    /// Products that are done at the first one's place, the first included.
    products: FxHashMap<InstId, Vec<InstId>>,
    /// Where a left factor lies in memory, by value and block.
    spilled: FxHashMap<(ValueId, BlockId), ValueId>,
    /// Where right factors side by side lie in memory, row by row.
    rights: FxHashMap<(Vec<ValueId>, BlockId), ValueId>,
    /// Where a band lies in memory, once emitted, and the block that put it there: until its only use, a
    /// product that writes there.
    home: Vec<Option<(ValueId, BlockId)>>,
    /// How often matrices are used.
    uses: FxHashMap<ValueId, u32>,
}

/// A product `a·b + c` that can be paired.
struct Product {
    id: InstId,
    result: ValueId,
    a: ValueId,
    b: ValueId,
    c: ValueId,
    formats: [Scalar; 3],
}

impl Bands {
    /// Chooses bands in `function`.
    pub(super) fn new(module: &mw_air::Module, function: &Function, control: &Control) -> Self {
        let mut bands = Self::default();
        for block in &control.order {
            let insts = &function.block(*block).insts;
            let products: Vec<Product> =
                insts.iter().filter_map(|id| product(module, function, *id)).collect();
            if products.len() < 2 {
                continue;
            }
            let positions: FxHashMap<InstId, usize> =
                insts.iter().enumerate().map(|(position, id)| (*id, position)).collect();
            let before = |value: ValueId, position: usize| {
                function
                    .defining_inst(value)
                    .and_then(|id| positions.get(&id))
                    .is_none_or(|defined| *defined < position)
            };
            let mut used = vec![false; products.len()];
            for first in 0..products.len() {
                if used[first] {
                    continue;
                }
                let p = &products[first];
                let position = positions[&p.id];
                let mut list = vec![first];
                list.extend((first + 1..products.len()).filter(|other| {
                    let q = &products[*other];
                    !used[*other]
                        && p.a == q.a
                        && p.formats == q.formats
                        && before(q.b, position)
                        && before(q.c, position)
                }));
                for count in [4, 2] {
                    if list.len() < count {
                        continue;
                    }
                    let sums: Vec<ValueId> = list[..count].iter().map(|index| products[*index].c).collect();
                    if !bands.agree(&sums) {
                        continue;
                    }
                    for index in &list[..count] {
                        used[*index] = true;
                    }
                    bands.add_phis(function, control, *block, &sums);
                    bands.add(list[..count].iter().map(|index| products[*index].result).collect());
                    let ids = list[..count].iter().map(|index| products[*index].id).collect();
                    bands.products.insert(p.id, ids);
                    break;
                }
            }
        }
        bands.whole = vec![None; bands.members.len()];
        bands.home = vec![None; bands.members.len()];
        if !bands.members.is_empty() {
            bands.count_uses(function, control);
        }
        bands
    }

    fn count_uses(&mut self, function: &Function, control: &Control) {
        for block in &control.order {
            let mut count = |value: ValueId| {
                if self.place.contains_key(&value) {
                    *self.uses.entry(value).or_default() += 1;
                }
            };
            for id in &function.block(*block).insts {
                function.inst(*id).inst.for_each_operand(&mut count);
            }
            if let Some(value) = function.block(*block).terminator.operand() {
                count(value);
            }
        }
    }

    /// Where these values lie in memory, side by side.
    pub(super) fn home_of(&self, values: &[ValueId]) -> Option<(ValueId, BlockId)> {
        self.band(values).and_then(|band| self.home[band])
    }

    /// Says where a band lies in memory.
    pub(super) fn set_home(&mut self, band: usize, slot: ValueId, block: BlockId) {
        self.home[band] = Some((slot, block));
    }

    /// The band that these values are, whole and in order.
    fn band(&self, values: &[ValueId]) -> Option<usize> {
        let (band, _) = self.place.get(&values[0])?;
        (self.members[*band] == values).then_some(*band)
    }

    /// Whether accumulators are one band, or in none.
    fn agree(&self, values: &[ValueId]) -> bool {
        values.iter().all(|value| !self.place.contains_key(value)) || self.band(values).is_some()
    }

    fn add(&mut self, members: Vec<ValueId>) {
        for (place, value) in members.iter().enumerate() {
            self.place.insert(*value, (self.members.len(), place));
        }
        self.members.push(members);
    }

    /// Makes a band of the φ-functions of a loop header that accumulators come from.
    fn add_phis(&mut self, function: &Function, control: &Control, block: BlockId, values: &[ValueId]) {
        let distinct = values.iter().enumerate().all(|(index, value)| !values[..index].contains(value));
        if !distinct || values.iter().any(|value| self.place.contains_key(value)) {
            return;
        }
        let home = |value: &ValueId| {
            let id = function.defining_inst(*value)?;
            if !matches!(function.inst(id).inst, Inst::Phi { .. }) {
                return None;
            }
            control
                .enclosing(block)
                .into_iter()
                .map(|id| control.loops.get(id).header)
                .find(|header| function.block(*header).insts.contains(&id))
        };
        let homes: Vec<Option<BlockId>> = values.iter().map(home).collect();
        if homes[0].is_some() && homes.iter().all(|home| *home == homes[0]) {
            self.add(values.to_vec());
        }
    }

    /// The band of a value that is its band's first, with its members.
    pub(super) fn led_by(&self, value: ValueId) -> Option<(usize, &[ValueId])> {
        match self.place.get(&value) {
            Some((band, 0)) => Some((*band, &self.members[*band])),
            _ => None,
        }
    }

    /// Whether a value is in a band but not its first.
    pub(super) fn follows(&self, value: ValueId) -> bool {
        matches!(self.place.get(&value), Some((_, 1..)))
    }
}

/// `<64·n x float>`: eight rows of 8·n.
fn band_type(count: usize) -> Type {
    Type::Vector(Scalar::Float, 64 * count as u32)
}

fn product(module: &mw_air::Module, function: &Function, id: InstId) -> Option<Product> {
    let data = function.inst(id);
    let Inst::Call(call) = &data.inst else { return None };
    let Callee::Function(callee) = call.callee else { return None };
    let Some(Intrinsic::Matrix(MatrixOp::MultiplyAccumulate { result, a, b, c })) =
        Intrinsic::classify(&module.function(callee).name)
    else {
        return None;
    };
    (result == Scalar::Float && c == Scalar::Float).then(|| Product {
        id,
        result: data.result.expect("products have a value"),
        a: call.args[0],
        b: call.args[1],
        c: call.args[2],
        formats: [a, b, c],
    })
}

impl Emitter<'_, '_> {
    /// Emits the products that `id` leads; `false` when it leads none.
    pub(super) fn emit_products(&mut self, block: BlockId, id: InstId) -> Result<bool, PassError> {
        let Some(ids) = self.bands.products.get(&id).cloned() else { return Ok(false) };
        let products: Vec<Product> =
            ids.iter().filter_map(|id| product(self.shared.module, self.source, *id)).collect();
        let formats = products[0].formats;
        let left = self.left_factor(block, products[0].a, formats[0])?;
        let rights: Vec<ValueId> = products.iter().map(|product| product.b).collect();
        let right = self.right_factors(block, &rights, formats[1])?;
        let sums: Vec<ValueId> = products.iter().map(|product| product.c).collect();
        let width = 8 * products.len() as u64;
        let per_row = width / 16;
        let row_type = Type::Vector(Scalar::Float, 16);
        let (from, made) = if let Some(home) = self.bands.home_of(&sums) {
            home
        } else {
            let whole = self.band_value(&sums)?;
            let slot = self.band_slot(products.len());
            self.write(slot, whole);
            (slot, block)
        };
        // What nothing else needs, and no other round of a loop, makes room for what comes.
        let innermost = |block: BlockId| self.control.loops.innermost[block.index()];
        let in_place = innermost(made) == innermost(block)
            && sums.iter().all(|sum| self.bands.uses.get(sum).is_none_or(|count| *count <= 1));
        let to = if in_place { from } else { self.band_slot(products.len()) };
        // As many rows at a time as registers hold.
        let rows = if self.shared.options.two_register_permutes { 8 } else { 2 };
        for first in (0..8).step_by(rows) {
            let places: Vec<u64> = (first as u64 * per_row..(first + rows) as u64 * per_row).collect();
            let mut halves: Vec<ValueId> =
                places.iter().map(|half| self.volatile_load(from, half * 64, &row_type)).collect();
            for k in 0..8 {
                let rights: Vec<ValueId> = (0..per_row)
                    .map(|half| self.volatile_load(right, (k * width + half * 16) * 4, &row_type))
                    .collect();
                for row in 0..rows as u64 {
                    let mut b = self.b();
                    let index = b.int(&Type::I64, (first as u64 + row) * 8 + k);
                    let place = b.gep(&Type::FLOAT, left, vec![index]);
                    let element = b.load(&Type::FLOAT, place, 4);
                    let factor = b.splat(element, 16);
                    let sums = &mut halves[(row * per_row) as usize..((row + 1) * per_row) as usize];
                    for (right, sum) in rights.iter().zip(sums) {
                        *sum = self.call_value("llvm.fma.v16f32", vec![factor, *right, *sum], &row_type);
                    }
                }
            }
            for (half, value) in places.iter().zip(halves) {
                self.volatile_store(to, half * 64, value);
            }
        }
        let whole = self.read(&band_type(products.len()), to);
        let (band, _) = self.bands.led_by(products[0].result).expect("products of a band are one");
        self.set_band(band, whole);
        self.bands.set_home(band, to, block);
        Ok(true)
    }

    fn band_slot(&mut self, count: usize) -> ValueId {
        self.slot(&band_type(count))
    }

    fn volatile_load(&mut self, base: ValueId, offset: u64, ty: &Type) -> ValueId {
        let mut b = self.b();
        let offset = b.int(&Type::I64, offset);
        let ptr = b.gep(&Type::I8, base, vec![offset]);
        b.push(Inst::Load { ptr, align: 64, volatile: true, ordering: None }, ty.clone())
    }

    fn volatile_store(&mut self, base: ValueId, offset: u64, value: ValueId) {
        let mut b = self.b();
        let offset = b.int(&Type::I64, offset);
        let ptr = b.gep(&Type::I8, base, vec![offset]);
        b.push_void(Inst::Store { ptr, value, align: 64, volatile: true, ordering: None });
    }

    /// Right factors side by side in memory, row by row.
    fn right_factors(
        &mut self,
        block: BlockId,
        values: &[ValueId],
        format: Scalar,
    ) -> Result<ValueId, PassError> {
        let key = (values.to_vec(), block);
        if let Some(slot) = self.bands.rights.get(&key) {
            return Ok(*slot);
        }
        let mut sides = Vec::new();
        for value in values {
            let side = self.uniform(*value)?;
            sides.push(self.widen_float(format, side));
        }
        let slot = self.band_slot(values.len());
        let mut at = 0;
        for k in 0..8 {
            for pair in sides.chunks(2) {
                let order = (0..16).map(|index| if index < 8 { k * 8 + index } else { 56 + k * 8 + index });
                let row = self.b().shuffle(pair[0], pair[1], order.collect());
                self.volatile_store(slot, at, row);
                at += 64;
            }
        }
        self.bands.rights.insert(key, slot);
        Ok(slot)
    }

    /// A left factor in memory, where its elements can be broadcast from.
    fn left_factor(&mut self, block: BlockId, value: ValueId, format: Scalar) -> Result<ValueId, PassError> {
        if let Some(slot) = self.bands.spilled.get(&(value, block)) {
            return Ok(*slot);
        }
        let matrix = self.uniform(value)?;
        let matrix = self.widen_float(format, matrix);
        let ty = self.function.value_type(matrix).clone();
        let slot = self.slot(&ty);
        // Volatile, or LLVM keeps the matrix in registers and shuffles every element out of them.
        let inst = Inst::Store { ptr: slot, value: matrix, align: 64, volatile: true, ordering: None };
        self.b().push_void(inst);
        self.bands.spilled.insert((value, block), slot);
        Ok(slot)
    }

    /// Matrices side by side.
    pub(super) fn band_value(&mut self, values: &[ValueId]) -> Result<ValueId, PassError> {
        if let Some(band) = self.bands.band(values)
            && let Some(whole) = self.bands.whole[band]
        {
            return Ok(whole);
        }
        let mut parts = Vec::new();
        for value in values {
            parts.push(if matches!(self.source.constant(*value), Some(Constant::Undef | Constant::Poison)) {
                let ty = Type::Vector(Scalar::Float, 64);
                self.function.add_constant(TypedConstant { ty, value: Constant::Poison })
            } else {
                self.uniform(*value)?
            });
        }
        let whole = self.concatenate(parts);
        let count = values.len() as i32;
        let order = (0..64 * count).map(|index| {
            let (row, column) = (index / (8 * count), index % (8 * count));
            column / 8 * 64 + row * 8 + column % 8
        });
        Ok(self.b().shuffle(whole, whole, order.collect()))
    }

    /// Records the wide matrix of a band, and its parts.
    pub(super) fn set_band(&mut self, band: usize, whole: ValueId) {
        self.bands.whole[band] = Some(whole);
        let members = self.bands.members[band].clone();
        let width = 8 * members.len() as i32;
        for (part, value) in members.into_iter().enumerate() {
            let order = (0..64).map(|index| index / 8 * width + part as i32 * 8 + index % 8).collect();
            let matrix = self.b().shuffle(whole, whole, order);
            self.set(value, super::values::Wide::Uniform(matrix));
        }
    }

    /// Type of a φ-function's slot, when it leads a band.
    pub(super) fn band_slot_type(&self, value: ValueId) -> Option<Type> {
        debug_assert!(is_matrix(self.source.value_type(value)));
        self.bands.led_by(value).map(|(_, members)| band_type(members.len()))
    }

    /// The mask of each element's owner in a band of `elements` elements.
    pub(super) fn band_mask(&mut self, mask: ValueId, elements: u32) -> ValueId {
        let single = self.matrix_mask(mask);
        let width = elements as i32 / 8;
        let order = (0..elements as i32).map(|index| index / width * 8 + index % 8).collect();
        self.b().shuffle(single, single, order)
    }
}
