//! Products of simdgroup matrices, two at a time.
//!
//! **Before** `d0 = a·b0 + c0` and `d1 = a·b1 + c1`.
//! **After** one product of `a` with the 8×16 matrix `[b0 b1]`: rows of 16 fill a vector register, and the
//! elements of `a` come from memory as broadcasts, which cost nothing beside a multiply-add.
//! **Requires** both products in one block, the operands of both there before the first.
//! **Ensures** the order of additions of each element: ascending k from c.
//!
//! The 8×16 accumulator stays as it is through chains of products and round loops: only where one of its
//! halves is used alone is it taken apart.

use mw_air::intrinsics::{Intrinsic, MatrixOp};
use mw_air::{BlockId, Callee, Constant, Function, Inst, InstId, Scalar, Type, TypedConstant, ValueId};
use rustc_hash::FxHashMap;

use super::values::Emitter;
use crate::PassError;
use crate::control::Control;
use crate::scalarize::is_matrix;

/// `<128 x float>`: eight rows of sixteen.
pub(super) const PAIR: Type = Type::Vector(Scalar::Float, 128);

/// Which matrices lie side by side.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Pair and half of a value.
    place: FxHashMap<ValueId, (usize, usize)>,
    /// Values of a pair.
    members: Vec<[ValueId; 2]>,
    /// The 8×16 matrix of a pair, once emitted.
    whole: Vec<Option<ValueId>>,
    /// Products that are done at the first one's place.
    products: FxHashMap<InstId, InstId>,
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

impl Pairs {
    /// Chooses pairs in `function`.
    pub(super) fn new(module: &mw_air::Module, function: &Function, control: &Control) -> Self {
        let mut pairs = Self::default();
        for block in &control.order {
            let insts = &function.block(*block).insts;
            let positions: FxHashMap<InstId, usize> =
                insts.iter().enumerate().map(|(position, id)| (*id, position)).collect();
            let products: Vec<Product> =
                insts.iter().filter_map(|id| product(module, function, *id)).collect();
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
                let position = positions[&products[first].id];
                let partner = (first + 1..products.len()).find(|second| {
                    let (p, q) = (&products[first], &products[*second]);
                    !used[*second]
                        && p.a == q.a
                        && p.formats == q.formats
                        && before(q.b, position)
                        && before(q.c, position)
                        && pairs.agree(p.c, q.c)
                });
                if let Some(second) = partner {
                    used[second] = true;
                    let (p, q) = (&products[first], &products[second]);
                    pairs.products.insert(p.id, q.id);
                    pairs.add([p.result, q.result]);
                    pairs.add_phis(function, control, *block, [p.c, q.c]);
                }
            }
        }
        pairs.whole = vec![None; pairs.members.len()];
        pairs
    }

    /// Whether two accumulators are halves of one pair, in order, or of none.
    fn agree(&self, first: ValueId, second: ValueId) -> bool {
        match (self.place.get(&first), self.place.get(&second)) {
            (None, None) => true,
            (Some((pair, 0)), Some((other, 1))) => pair == other,
            _ => false,
        }
    }

    fn add(&mut self, members: [ValueId; 2]) {
        for (half, value) in members.into_iter().enumerate() {
            self.place.insert(value, (self.members.len(), half));
        }
        self.members.push(members);
    }

    /// Pairs the φ-functions of a loop header that two accumulators come from.
    fn add_phis(&mut self, function: &Function, control: &Control, block: BlockId, values: [ValueId; 2]) {
        if values[0] == values[1] || values.iter().any(|value| self.place.contains_key(value)) {
            return;
        }
        let home = |value: ValueId| {
            let id = function.defining_inst(value)?;
            if !matches!(function.inst(id).inst, Inst::Phi { .. }) {
                return None;
            }
            control
                .enclosing(block)
                .into_iter()
                .map(|id| control.loops.get(id).header)
                .find(|header| function.block(*header).insts.contains(&id))
        };
        if let (Some(first), Some(second)) = (home(values[0]), home(values[1]))
            && first == second
        {
            self.add(values);
        }
    }

    /// The other half and the pair of a value that is its pair's first half.
    pub(super) fn first_half(&self, value: ValueId) -> Option<(usize, ValueId)> {
        match self.place.get(&value) {
            Some((pair, 0)) => Some((*pair, self.members[*pair][1])),
            _ => None,
        }
    }

    /// Whether a value is the second half of a pair.
    pub(super) fn is_second_half(&self, value: ValueId) -> bool {
        matches!(self.place.get(&value), Some((_, 1)))
    }
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
    /// Emits the product `id` and its partner; `false` when it has none.
    pub(super) fn emit_product_pair(&mut self, block: BlockId, id: InstId) -> Result<bool, PassError> {
        let Some(partner) = self.pairs.products.get(&id).copied() else { return Ok(false) };
        let (Some(p), Some(q)) =
            (product(self.shared.module, self.source, id), product(self.shared.module, self.source, partner))
        else {
            return Ok(false);
        };
        let left = self.left_factor(block, p.a, p.formats[0])?;
        let mut sides = Vec::new();
        for value in [p.b, q.b] {
            let side = self.uniform(value)?;
            sides.push(self.widen_float(p.formats[1], side));
        }
        let sum = self.pair_value([p.c, q.c])?;
        let mut rows: Vec<ValueId> =
            (0..8).map(|row| self.b().shuffle(sum, sum, (row * 16..row * 16 + 16).collect())).collect();
        let row_type = Type::Vector(Scalar::Float, 16);
        for k in 0..8 {
            let order = (0..16).map(|index| if index < 8 { k * 8 + index } else { 64 + k * 8 + index - 8 });
            let side = self.b().shuffle(sides[0], sides[1], order.collect());
            for (row, sum) in rows.iter_mut().enumerate() {
                let mut b = self.b();
                let index = b.int(&Type::I64, row as u64 * 8 + k as u64);
                let place = b.gep(&Type::FLOAT, left, vec![index]);
                let element = b.load(&Type::FLOAT, place, 4);
                let factor = b.splat(element, 16);
                *sum = self.call_value("llvm.fma.v16f32", vec![factor, side, *sum], &row_type);
            }
        }
        let whole = self.concatenate(rows);
        let (pair, _) = self.pairs.first_half(p.result).expect("products of a pair are one");
        self.set_pair(pair, whole);
        Ok(true)
    }

    /// A left factor in memory, where its elements can be broadcast from.
    fn left_factor(&mut self, block: BlockId, value: ValueId, format: Scalar) -> Result<ValueId, PassError> {
        if let Some(slot) = self.pairs.spilled.get(&(value, block)) {
            return Ok(*slot);
        }
        let matrix = self.uniform(value)?;
        let matrix = self.widen_float(format, matrix);
        let ty = self.function.value_type(matrix).clone();
        let slot = self.slot(&ty);
        // Volatile, or LLVM keeps the matrix in registers and shuffles every element out of them.
        let inst = Inst::Store { ptr: slot, value: matrix, align: 64, volatile: true, ordering: None };
        self.b().push_void(inst);
        self.pairs.spilled.insert((value, block), slot);
        Ok(slot)
    }

    /// Two matrices side by side.
    pub(super) fn pair_value(&mut self, values: [ValueId; 2]) -> Result<ValueId, PassError> {
        if let (Some((pair, 0)), Some((other, 1))) =
            (self.pairs.place.get(&values[0]), self.pairs.place.get(&values[1]))
            && pair == other
            && let Some(whole) = self.pairs.whole[*pair]
        {
            return Ok(whole);
        }
        let mut halves = Vec::new();
        for value in values {
            halves.push(if matches!(self.source.constant(value), Some(Constant::Undef | Constant::Poison)) {
                let ty = Type::Vector(Scalar::Float, 64);
                self.function.add_constant(TypedConstant { ty, value: Constant::Poison })
            } else {
                self.uniform(value)?
            });
        }
        let order = (0..128).map(|index| {
            let (row, column) = (index / 16, index % 16);
            if column < 8 { row * 8 + column } else { 64 + row * 8 + column - 8 }
        });
        Ok(self.b().shuffle(halves[0], halves[1], order.collect()))
    }

    /// Records the 8×16 matrix of a pair, and its halves.
    pub(super) fn set_pair(&mut self, pair: usize, whole: ValueId) {
        self.pairs.whole[pair] = Some(whole);
        for (half, value) in self.pairs.members[pair].into_iter().enumerate() {
            let order = (0..64).map(|index| index / 8 * 16 + half as i32 * 8 + index % 8).collect();
            let matrix = self.b().shuffle(whole, whole, order);
            self.set(value, super::values::Wide::Uniform(matrix));
        }
    }

    /// Type of a φ-function's slot, when it is the first half of a pair.
    pub(super) fn pair_slot_type(&self, value: ValueId) -> Option<Type> {
        debug_assert!(is_matrix(self.source.value_type(value)));
        self.pairs.first_half(value).map(|_| PAIR)
    }

    /// The mask of each element's owner in an 8×16 matrix.
    pub(super) fn pair_mask(&mut self, mask: ValueId) -> ValueId {
        let single = self.matrix_mask(mask);
        let order = (0..128).map(|index| index / 16 * 8 + index % 8).collect();
        self.b().shuffle(single, single, order)
    }
}
