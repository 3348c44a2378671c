//! Products of simdgroup matrices, two or four at a time.
//!
//! **Before** `d0 = a·b0 + c0` and `d1 = a·b1 + c1`.
//! **After** one product of `a` with the 8×16 matrix `[b0 b1]` (8×32 for four): rows of 16 fill a vector
//! register, and each element of `a` is read from memory once, as a broadcast.
//! **Requires** all products in one block, their operands there before the first.
//! **Ensures** the order of additions of each element: ascending k from c.
//!
//! A wide accumulator stays as it is through chains of products and round loops: only where one of its
//! parts is used alone is it taken apart.

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
        bands
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
        let mut sides = Vec::new();
        for product in &products {
            let side = self.uniform(product.b)?;
            sides.push(self.widen_float(formats[1], side));
        }
        let sums: Vec<ValueId> = products.iter().map(|product| product.c).collect();
        let whole = self.band_value(&sums)?;
        let width = 8 * products.len() as i32;
        let row_type = Type::Vector(Scalar::Float, 16);
        // One register for each half row of 16.
        let mut halves: Vec<ValueId> = (0..8 * width / 16)
            .map(|half| self.b().shuffle(whole, whole, (half * 16..half * 16 + 16).collect()))
            .collect();
        let per_row = halves.len() / 8;
        for k in 0..8 {
            let rights: Vec<ValueId> = sides
                .chunks(2)
                .map(|pair| {
                    let order =
                        (0..16).map(|index| if index < 8 { k * 8 + index } else { 56 + k * 8 + index });
                    self.b().shuffle(pair[0], pair[1], order.collect())
                })
                .collect();
            for row in 0..8 {
                let mut b = self.b();
                let index = b.int(&Type::I64, row as u64 * 8 + k as u64);
                let place = b.gep(&Type::FLOAT, left, vec![index]);
                let element = b.load(&Type::FLOAT, place, 4);
                let factor = b.splat(element, 16);
                for (right, sum) in rights.iter().zip(&mut halves[row * per_row..(row + 1) * per_row]) {
                    *sum = self.call_value("llvm.fma.v16f32", vec![factor, *right, *sum], &row_type);
                }
            }
        }
        let whole = self.concatenate(halves);
        let (band, _) = self.bands.led_by(products[0].result).expect("products of a band are one");
        self.set_band(band, whole);
        Ok(true)
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
