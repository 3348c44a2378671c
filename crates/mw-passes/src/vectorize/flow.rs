//! Emission of control flow: guards, arms, loops, φ-functions.

use mw_air::analysis::LoopId;
use mw_air::{
    BinaryOp, BlockId, Constant, Function, Inst, IntPredicate, Scalar, Terminator, Type, TypedConstant,
    ValueId,
};

use super::plan::{Entry, Like};
use super::values::{Emitter, LANES, MASK, Wide};
use crate::PassError;
use crate::abi::offset;
use crate::control::Control;
use crate::scalarize::is_matrix;
use crate::uniformity::Shape;

/// Instructions that a block may have to run without a guard under an empty mask.
const UNGUARDED_INSTRUCTIONS: usize = 8;

/// The slots of a φ-function.
#[derive(Clone, Copy, Debug)]
struct PhiSlot {
    /// Scalar, matrix or base; `<32 x T>` for a varying value.
    value: ValueId,
    /// Whether the strided form holds.
    ok: Option<ValueId>,
    /// The lanes of a conditionally strided value.
    lanes: Option<ValueId>,
}

/// What emission keeps by block and loop.
#[derive(Debug)]
pub(super) struct FlowState {
    /// Mask of the block that is being emitted.
    pub(super) mask: ValueId,
    /// Slot that gathers the lanes of a block ([`Entry::Gather`]) or its flag ([`Entry::Flag`]).
    gather: Vec<Option<ValueId>>,
    /// Mask of the divergent edge into a block.
    edge_mask: Vec<Option<ValueId>>,
    /// Mask with which a loop was entered.
    loop_entry: Vec<Option<ValueId>>,
    /// Slot of the lanes that go round again, or of the flag that says so.
    next: Vec<Option<ValueId>>,
    phis: Vec<Option<PhiSlot>>,
    ret: Option<ValueId>,
}

impl FlowState {
    pub(super) fn new(source: &Function, control: &Control) -> Self {
        let blocks = source.blocks.len();
        let loops = control.loops.loops.len();
        Self {
            mask: ValueId(0),
            gather: vec![None; blocks],
            edge_mask: vec![None; blocks],
            loop_entry: vec![None; loops],
            next: vec![None; loops],
            phis: vec![None; source.values().len()],
            ret: None,
        }
    }
}

impl Emitter<'_, '_> {
    /// Emits all blocks; the lanes of `mask` enter the function.
    pub(super) fn emit_flow(&mut self, mask: ValueId) -> Result<(), PassError> {
        self.make_phi_slots();
        for block in self.control.order.clone() {
            if matches!(self.plan.entry[block.index()], Entry::Gather) {
                self.state.gather[block.index()] = Some(self.slot(&MASK));
            } else if matches!(self.plan.entry[block.index()], Entry::Flag { .. }) {
                self.state.gather[block.index()] = Some(self.slot(&Type::I1));
            }
        }
        if self.source.ty.ret != Type::Void {
            let ty = Self::vector_type(&self.source.ty.ret);
            self.state.ret = Some(self.slot(&ty));
        }
        self.visit(Function::ENTRY, mask)?;
        let value = self.state.ret.map(|slot| {
            let ty = Self::vector_type(&self.source.ty.ret);
            self.read(&ty, slot)
        });
        self.b().ret(value);
        Ok(())
    }

    fn make_phi_slots(&mut self) {
        for block in self.control.order.clone() {
            for index in 0..self.source.block(block).insts.len() {
                let data = self.source.inst(self.source.block(block).insts[index]);
                let (Inst::Phi { .. }, Some(result)) = (&data.inst, data.result) else { break };
                let ty = self.source.value_type(result).clone();
                let fact = self.uniformity.fact(result);
                let varying = fact.shape == Shape::Varying;
                let slot_ty = if is_matrix(&ty) {
                    self.band_slot_type(result).unwrap_or_else(|| Self::lowered_type(&ty))
                } else if varying {
                    Self::vector_type(&ty)
                } else {
                    Self::lowered_type(&ty)
                };
                let value = self.slot(&slot_ty);
                let conditional =
                    fact.conditional && matches!(fact.shape, Shape::Strided(_) | Shape::Table(_));
                let ok = conditional.then(|| self.slot(&Type::I1));
                let vector = Self::vector_type_or_self(&ty);
                let lanes = conditional.then(|| self.slot(&vector));
                self.state.phis[result.index()] = Some(PhiSlot { value, ok, lanes });
            }
        }
    }

    fn vector_type_or_self(ty: &Type) -> Type {
        if is_matrix(ty) { Self::lowered_type(ty) } else { Self::vector_type(ty) }
    }

    /// Emits `block` under `mask` with everything that comes behind it. The current block is where control
    /// enters; on return it is where all lanes have come together.
    fn visit(&mut self, block: BlockId, mask: ValueId) -> Result<(), PassError> {
        let id = self.control.loops.innermost[block.index()]
            .filter(|id| self.control.loops.get(*id).header == block);
        let mut mask = mask;
        let head = match id {
            Some(id) => {
                for child in self.plan.after_loop[id.0 as usize].clone() {
                    self.reset(child);
                }
                self.state.loop_entry[id.0 as usize] = Some(mask);
                let (head, inside) = self.open_loop(id, mask);
                mask = inside;
                Some(head)
            }
            None => None,
        };
        self.masks[block.index()] = Some(mask);
        self.state.mask = mask;
        for child in self.plan.children[block.index()].clone() {
            self.reset(child);
        }
        self.load_phis(block);
        self.emit_block(block)?;
        self.emit_terminator(block, mask)?;
        for child in self.plan.children[block.index()].clone() {
            self.visit_guarded(child)?;
        }
        if let (Some(id), Some(head)) = (id, head) {
            self.close_loop(id, head);
            for child in self.plan.after_loop[id.0 as usize].clone() {
                self.visit_guarded(child)?;
            }
        }
        Ok(())
    }

    /// Clears what gathers lanes and values for a block, before anything can lead there.
    fn reset(&mut self, block: BlockId) {
        if let Some(slot) = self.state.gather[block.index()] {
            let ty = if matches!(self.plan.entry[block.index()], Entry::Gather) { MASK } else { Type::I1 };
            let none = self.b().zero(&ty);
            self.write(slot, none);
        }
        if !matches!(self.plan.entry[block.index()], Entry::Gather | Entry::Inherit { .. }) {
            return;
        }
        // Lanes that do not come have no value: say so, or the old one is carried around every loop.
        for index in 0..self.source.block(block).insts.len() {
            let data = self.source.inst(self.source.block(block).insts[index]);
            let (Inst::Phi { .. }, Some(result)) = (&data.inst, data.result) else { break };
            if self.shape(result) != Shape::Varying {
                continue;
            }
            if let Some(slot) = self.state.phis[result.index()] {
                let ty = Self::vector_type_or_self(&self.source.value_type(result).clone());
                let poison = self.function.add_constant(TypedConstant { ty, value: Constant::Poison });
                self.write(slot.value, poison);
            }
        }
    }

    /// Emits a block behind its guard.
    fn visit_guarded(&mut self, block: BlockId) -> Result<(), PassError> {
        let entry = self.plan.entry[block.index()];
        let (mask, guard) = match entry {
            Entry::Start | Entry::Arm { .. } => unreachable!("arms are emitted with their branch"),
            Entry::Inherit { like } => (self.mask_like(like)?, None),
            Entry::Flag { like } => {
                let slot = self.state.gather[block.index()].expect("flags have a slot");
                let flag = self.read(&Type::I1, slot);
                (self.mask_like(like)?, Some(flag))
            }
            Entry::Edge { .. } => {
                let mask = self.state.edge_mask[block.index()]
                    .ok_or_else(|| PassError::invalid("an edge was not emitted".to_owned()))?;
                let guard = if self.is_cheap(block) { None } else { Some(self.any(mask)) };
                (mask, guard)
            }
            Entry::Gather => {
                let slot = self.state.gather[block.index()].expect("gathering blocks have a slot");
                let mask = self.read(&MASK, slot);
                let guard = if self.is_cheap(block) { None } else { Some(self.any(mask)) };
                (mask, guard)
            }
        };
        let Some(guard) = guard else { return self.visit(block, mask) };
        let (inside, after) = (self.function.add_block(), self.function.add_block());
        self.b().cond_br(guard, inside, after);
        self.block = inside;
        self.visit(block, mask)?;
        self.b().br(after);
        self.block = after;
        Ok(())
    }

    fn mask_like(&self, like: Like) -> Result<ValueId, PassError> {
        match like {
            Like::Block(block) => self.masks[block.index()],
            Like::LoopEntry(id) => self.state.loop_entry[id.0 as usize],
        }
        .ok_or_else(|| PassError::invalid("a mask was not emitted".to_owned()))
    }

    /// Whether a block may run with no lane active, and costs less than a jump.
    fn is_cheap(&self, block: BlockId) -> bool {
        let data = self.source.block(block);
        data.insts.len() <= UNGUARDED_INSTRUCTIONS
            && self.plan.children[block.index()].is_empty()
            && matches!(data.terminator, Terminator::Br(target)
                if !matches!(self.plan.entry[target.index()], Entry::Arm { .. })
                    && !self.control.is_back_edge(block, target))
            && self.control.loops.innermost[block.index()]
                .is_none_or(|id| self.control.loops.get(id).header != block)
            && data.insts.iter().all(|inst| match &self.source.inst(*inst).inst {
                Inst::Binary { op, .. } => !matches!(
                    op,
                    BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem | BinaryOp::FRem
                ),
                Inst::FNeg { .. }
                | Inst::Cast { .. }
                | Inst::ICmp { .. }
                | Inst::FCmp { .. }
                | Inst::Select { .. }
                | Inst::Freeze { .. }
                | Inst::Phi { .. }
                | Inst::Gep { .. } => true,
                Inst::ExtractElement { .. }
                | Inst::InsertElement { .. }
                | Inst::ShuffleVector { .. }
                | Inst::ExtractValue { .. }
                | Inst::InsertValue { .. }
                | Inst::Alloca { .. }
                | Inst::Load { .. }
                | Inst::Store { .. }
                | Inst::Call(_)
                | Inst::AtomicRmw { .. }
                | Inst::CmpXchg { .. }
                | Inst::Fence { .. } => false,
            })
    }

    fn open_loop(&mut self, id: LoopId, mask: ValueId) -> (BlockId, ValueId) {
        let divergent = self.uniformity.divergence.loops.contains(&id);
        let ty = if divergent { MASK } else { Type::I1 };
        let next = self.slot(&ty);
        self.state.next[id.0 as usize] = Some(next);
        if divergent {
            self.write(next, mask);
        }
        let head = self.function.add_block();
        self.b().br(head);
        self.block = head;
        let inside = if divergent { self.read(&MASK, next) } else { mask };
        let none = self.b().zero(&ty);
        self.write(next, none);
        (head, inside)
    }

    /// Goes round again while a lane wants to, unless the caller asks for an end.
    fn close_loop(&mut self, id: LoopId, head: BlockId) {
        let divergent = self.uniformity.divergence.loops.contains(&id);
        let slot = self.state.next[id.0 as usize].expect("the loop is open");
        let again = if divergent {
            let next = self.read(&MASK, slot);
            self.any(next)
        } else {
            self.read(&Type::I1, slot)
        };
        let check = self.function.add_block();
        let after = self.function.add_block();
        self.b().cond_br(again, check, after);
        self.block = check;
        if self.has_known_end(id) {
            self.b().br(head);
        } else {
            let flag = self.context_ptr(offset::STOP);
            let mut b = self.b();
            let stop = b.push(Inst::Load { ptr: flag, align: 4, volatile: true, ordering: None }, Type::I32);
            let zero = b.int(&Type::I32, 0);
            let go_on = b.icmp(IntPredicate::Eq, stop, zero);
            b.cond_br(go_on, head, after);
        }
        self.block = after;
    }

    /// Whether a loop counts to a constant, so that it ends without being told to.
    fn has_known_end(&self, id: LoopId) -> bool {
        let each = self.control.loops.get(id);
        let [latch] = *each.latches else { return false };
        let Terminator::CondBr { condition, .. } = self.source.block(latch).terminator else { return false };
        let Some(inst) = self.source.defining_inst(condition) else { return false };
        let Inst::ICmp { lhs, rhs, .. } = self.source.inst(inst).inst else { return false };
        if self.source.as_int(rhs).is_none() {
            return false;
        }
        // `lhs` is the counter or the counter plus its step.
        let is_header_phi = |value: ValueId| {
            self.source.defining_inst(value).is_some_and(|inst| {
                self.source.block(each.header).insts.contains(&inst)
                    && match &self.source.inst(inst).inst {
                        Inst::Phi { incoming, .. } => incoming
                            .iter()
                            .any(|(from, start)| *from != latch && self.source.as_int(*start).is_some()),
                        _ => false,
                    }
            })
        };
        let counter = match self.source.defining_inst(lhs).map(|inst| &self.source.inst(inst).inst) {
            Some(Inst::Binary { op: BinaryOp::Add, lhs: counter, rhs: step, .. }) => {
                if self.source.as_int(*step).is_none_or(|step| step == 0) {
                    return false;
                }
                *counter
            }
            _ => lhs,
        };
        is_header_phi(counter) && each.blocks.len() < 4
    }

    fn load_phis(&mut self, block: BlockId) {
        for index in 0..self.source.block(block).insts.len() {
            let data = self.source.inst(self.source.block(block).insts[index]);
            let (Inst::Phi { .. }, Some(result)) = (&data.inst, data.result) else { break };
            let ty = self.source.value_type(result).clone();
            let slot = self.state.phis[result.index()].expect("φ-functions have slots");
            if is_matrix(&ty) {
                if let (Some((band, _)), Some(wide)) =
                    (self.bands.led_by(result), self.band_slot_type(result))
                {
                    let whole = self.read(&wide, slot.value);
                    self.set_band(band, whole);
                    self.bands.set_home(band, slot.value, block);
                    continue;
                }
                if self.bands.follows(result) {
                    continue;
                }
            }
            let wide = match self.shape(result) {
                Shape::Varying if !is_matrix(&ty) => {
                    let vector = Self::vector_type(&ty);
                    Wide::Varying(self.read(&vector, slot.value))
                }
                shape @ (Shape::Strided(_) | Shape::Table(_)) => {
                    let lowered = Self::lowered_type(&ty);
                    let base = self.read(&lowered, slot.value);
                    let ok = slot.ok.map(|ok| self.read(&Type::I1, ok));
                    Wide::Affine { base, shape, ok }
                }
                Shape::Uniform | Shape::Varying => {
                    let lowered = Self::lowered_type(&ty);
                    Wide::Uniform(self.read(&lowered, slot.value))
                }
            };
            self.set(result, wide);
        }
    }

    /// All lanes of a conditionally strided φ-function.
    pub(super) fn phi_lanes(&mut self, value: ValueId) -> Result<ValueId, PassError> {
        let slot = self.state.phis[value.index()]
            .and_then(|slot| slot.lanes)
            .ok_or_else(|| PassError::invalid("a φ-function without lanes".to_owned()))?;
        let ty = Self::vector_type(&self.source.value_type(value).clone());
        Ok(self.read(&ty, slot))
    }

    fn emit_terminator(&mut self, block: BlockId, mask: ValueId) -> Result<(), PassError> {
        match self.source.block(block).terminator.clone() {
            Terminator::Unreachable => Ok(()),
            Terminator::Ret(value) => {
                if let (Some(value), Some(slot)) = (value, self.state.ret) {
                    let value = self.vector(value)?;
                    self.blend_into(slot, mask, value);
                }
                Ok(())
            }
            Terminator::Br(target) => {
                self.edge(block, target, mask, false)?;
                self.visit_arm(block, target, mask)
            }
            Terminator::CondBr { on_true, on_false, .. } if on_true == on_false => {
                self.edge(block, on_true, mask, false)?;
                self.visit_arm(block, on_true, mask)
            }
            Terminator::CondBr { condition, on_true, on_false } => {
                if self.uniformity.divergence.branches.contains(&block) {
                    let condition = self.vector(condition)?;
                    // Selections, not bitwise `and`: in inactive lanes the condition may be poison, which
                    // must not reach a mask.
                    let mut b = self.b();
                    let none = b.zero(&MASK);
                    let taken = b.select(mask, condition, none);
                    let ones = b.int(&MASK, 1);
                    let inverse = b.binary(BinaryOp::Xor, condition, ones);
                    let not_taken = b.select(mask, inverse, none);
                    self.edge(block, on_true, taken, true)?;
                    return self.edge(block, on_false, not_taken, true);
                }
                let condition = self.uniform(condition)?;
                let (yes, no, after) =
                    (self.function.add_block(), self.function.add_block(), self.function.add_block());
                self.b().cond_br(condition, yes, no);
                for (arm, target) in [(yes, on_true), (no, on_false)] {
                    self.block = arm;
                    self.state.mask = mask;
                    self.edge(block, target, mask, false)?;
                    self.visit_arm(block, target, mask)?;
                    self.b().br(after);
                }
                self.block = after;
                Ok(())
            }
            Terminator::Switch { .. } => {
                Err(PassError::invalid("a switch is left; branches are expected here".to_owned()))
            }
        }
    }

    fn visit_arm(&mut self, from: BlockId, target: BlockId, mask: ValueId) -> Result<(), PassError> {
        if self.plan.entry[target.index()] == (Entry::Arm { from })
            && !self.control.is_back_edge(from, target)
        {
            self.visit(target, mask)?;
        }
        Ok(())
    }

    /// What happens on the way from `from` to `to` for the lanes of `mask`: φ-functions get their values,
    /// and `to` learns who comes.
    fn edge(&mut self, from: BlockId, to: BlockId, mask: ValueId, divergent: bool) -> Result<(), PassError> {
        let back = self.control.is_back_edge(from, to);
        self.edge_phis(from, to, mask, divergent, back)?;
        if back {
            let id = self.control.loops.innermost[to.index()].expect("the target of a back edge is a header");
            let slot = self.state.next[id.0 as usize].expect("the loop is open");
            if self.uniformity.divergence.loops.contains(&id) {
                self.gather_lanes(slot, mask);
            } else {
                let yes = self.b().int(&Type::I1, 1);
                self.write(slot, yes);
            }
            return Ok(());
        }
        match self.plan.entry[to.index()] {
            Entry::Edge { .. } => self.state.edge_mask[to.index()] = Some(mask),
            Entry::Gather => {
                let slot = self.state.gather[to.index()].expect("gathering blocks have a slot");
                self.gather_lanes(slot, mask);
            }
            Entry::Flag { .. } => {
                let slot = self.state.gather[to.index()].expect("flags have a slot");
                let yes = self.b().int(&Type::I1, 1);
                self.write(slot, yes);
            }
            Entry::Start | Entry::Arm { .. } | Entry::Inherit { .. } => {}
        }
        Ok(())
    }

    fn gather_lanes(&mut self, slot: ValueId, mask: ValueId) {
        let old = self.read(&MASK, slot);
        let new = self.b().binary(BinaryOp::Or, old, mask);
        self.write(slot, new);
    }

    fn blend_into(&mut self, slot: ValueId, mask: ValueId, value: ValueId) {
        let ty = self.function.value_type(value).clone();
        let old = self.read(&ty, slot);
        let new = self.b().select(mask, value, old);
        self.write(slot, new);
    }

    fn edge_phis(
        &mut self,
        from: BlockId,
        to: BlockId,
        mask: ValueId,
        divergent: bool,
        back: bool,
    ) -> Result<(), PassError> {
        // All reads before all writes: φ-functions of one block take their values at the same time.
        let mut writes: Vec<(ValueId, ValueId, bool)> = Vec::new();
        for index in 0..self.source.block(to).insts.len() {
            let data = self.source.inst(self.source.block(to).insts[index]);
            let (Inst::Phi { incoming, .. }, Some(result)) = (&data.inst, data.result) else { break };
            let Some((_, value)) = incoming.iter().find(|(block, _)| *block == from) else { continue };
            let value = *value;
            let ty = self.source.value_type(result).clone();
            let slot = self.state.phis[result.index()].expect("φ-functions have slots");
            if is_matrix(&ty) && self.bands.follows(result) {
                continue;
            }
            if is_matrix(&ty)
                && let Some((_, members)) = self.bands.led_by(result)
            {
                let members = members.to_vec();
                let values =
                    members.iter().map(|phi| self.incoming(*phi, from)).collect::<Result<Vec<_>, _>>()?;
                if self.bands.home_of(&values).is_some_and(|(home, _)| home == slot.value) {
                    // It is there already.
                    continue;
                }
                let whole = self.band_value(&values)?;
                writes.push((slot.value, whole, true));
                continue;
            }
            if matches!(self.source.constant(value), Some(Constant::Undef | Constant::Poison)) {
                continue;
            }
            match self.shape(result) {
                Shape::Varying if !is_matrix(&ty) => {
                    let vector = self.vector(value)?;
                    writes.push((slot.value, vector, true));
                }
                Shape::Strided(_) | Shape::Table(_) => {
                    let (base, ok) = match self.wide(value)? {
                        Wide::Affine { base, ok, .. } => (base, ok),
                        Wide::Uniform(base) => (base, None),
                        Wide::Varying(_) => {
                            return Err(PassError::invalid(
                                "a strided φ-function of a varying value".to_owned(),
                            ));
                        }
                    };
                    writes.push((slot.value, base, false));
                    if let Some(slot_ok) = slot.ok {
                        let ok = ok.unwrap_or_else(|| self.b().int(&Type::I1, 1));
                        writes.push((slot_ok, ok, false));
                    }
                    if let Some(lanes) = slot.lanes {
                        let vector = self.vector(value)?;
                        writes.push((lanes, vector, false));
                    }
                }
                Shape::Uniform | Shape::Varying => {
                    let scalar = self.uniform(value)?;
                    writes.push((slot.value, scalar, is_matrix(&ty)));
                }
            }
        }
        // Within one loop iteration all lanes of the header come by its only latch; elsewhere a divergent
        // edge, or one that leaves some lanes behind, must not touch the others.
        let alone = back
            && self.control.loops.innermost[to.index()]
                .is_some_and(|id| self.control.loops.get(id).latches.len() == 1);
        let joins = self.uniformity.divergence.joins.contains(&to)
            || self.uniformity.divergence.is_left(&self.control, from, to);
        for (slot, value, lanes) in writes {
            if alone || (!joins && !divergent) {
                self.write(slot, value);
            } else if lanes {
                self.blend_phi(slot, mask, value);
            } else {
                // A uniform value counts when any lane takes the edge.
                let ty = self.function.value_type(value).clone();
                let old = self.read(&ty, slot);
                let any = self.any(mask);
                let new = self.b().select(any, value, old);
                self.write(slot, new);
            }
        }
        Ok(())
    }

    /// What a φ-function takes from the edge from `from`.
    fn incoming(&self, phi: ValueId, from: BlockId) -> Result<ValueId, PassError> {
        self.source
            .defining_inst(phi)
            .and_then(|id| match &self.source.inst(id).inst {
                Inst::Phi { incoming, .. } => {
                    incoming.iter().find(|(block, _)| *block == from).map(|(_, value)| *value)
                }
                _ => None,
            })
            .ok_or_else(|| PassError::invalid("a φ-function without value for an edge".to_owned()))
    }

    fn blend_phi(&mut self, slot: ValueId, mask: ValueId, value: ValueId) {
        let ty = self.function.value_type(value).clone();
        if let Some(elements @ 64..) = ty.lanes() {
            let elements = self.band_mask(mask, elements);
            let old = self.read(&ty, slot);
            let new = self.b().select(elements, value, old);
            self.write(slot, new);
            return;
        }
        self.blend_into(slot, mask, value);
    }

    /// A block's instructions but φ-functions.
    fn emit_block(&mut self, block: BlockId) -> Result<(), PassError> {
        self.find_groups(block);
        for index in 0..self.source.block(block).insts.len() {
            let id = self.source.block(block).insts[index];
            // Some are emitted before their turn, with a group of memory accesses.
            if self.source.inst(id).result.is_none_or(|result| !self.is_emitted(result)) {
                self.emit_inst(block, id)?;
            }
        }
        Ok(())
    }

    /// Emits `body` for when `condition` holds, else `other`, and joins the values that they give, which are
    /// as many and of the same types. Only `body` where the condition is known to hold.
    pub(super) fn if_else_all(
        &mut self,
        condition: ValueId,
        body: impl FnOnce(&mut Self) -> Result<Vec<ValueId>, PassError>,
        other: impl FnOnce(&mut Self) -> Result<Vec<ValueId>, PassError>,
    ) -> Result<Vec<ValueId>, PassError> {
        if self.function.as_int(condition) == Some(1) {
            return body(self);
        }
        let (yes, no, after) =
            (self.function.add_block(), self.function.add_block(), self.function.add_block());
        self.b().cond_br(condition, yes, no);
        self.block = yes;
        let first = body(self)?;
        let yes_end = self.block;
        self.b().br(after);
        self.block = no;
        let second = other(self)?;
        let no_end = self.block;
        self.b().br(after);
        self.block = after;
        let mut joined = Vec::with_capacity(first.len());
        for (first, second) in first.into_iter().zip(second) {
            let ty = self.function.value_type(first).clone();
            joined.push(self.b().phi(&ty, vec![(yes_end, first), (no_end, second)]));
        }
        Ok(joined)
    }

    /// As [`Self::if_else_all`], for one value.
    pub(super) fn if_else(
        &mut self,
        condition: ValueId,
        body: impl FnOnce(&mut Self) -> Result<ValueId, PassError>,
        other: impl FnOnce(&mut Self) -> Result<ValueId, PassError>,
    ) -> Result<ValueId, PassError> {
        let joined =
            self.if_else_all(condition, |this| Ok(vec![body(this)?]), |this| Ok(vec![other(this)?]))?;
        Ok(joined[0])
    }

    /// As [`Self::if_else_all`], for what gives no value.
    pub(super) fn if_else_void(
        &mut self,
        condition: ValueId,
        body: impl FnOnce(&mut Self) -> Result<(), PassError>,
        other: impl FnOnce(&mut Self) -> Result<(), PassError>,
    ) -> Result<(), PassError> {
        self.if_else_all(
            condition,
            |this| body(this).map(|()| Vec::new()),
            |this| other(this).map(|()| Vec::new()),
        )
        .map(|_| ())
    }

    /// `<32 x i1>` with all lanes.
    pub(super) fn full_mask(&mut self) -> ValueId {
        let lane = TypedConstant::int(Type::I1, 1);
        let value = Constant::Aggregate(vec![lane; LANES as usize].into());
        self.function.add_constant(TypedConstant { ty: Type::Vector(Scalar::Int(1), LANES), value })
    }
}
