//! Functions: their tables, blocks, φ-functions and dominance.

use super::Verifier;
use crate::analysis::{Cfg, DominatorTree};
use crate::{Block, BlockId, Function, Inst, InstId, Linkage, Scalar, Terminator, Type, ValueDef, ValueId};

/// Where an instruction stands: block and position.
type Place = Option<(BlockId, u32)>;

impl<'m> Verifier<'m> {
    pub(super) fn function(&mut self, function: &'m Function) {
        let errors = self.errors.len();
        let declaration = function.is_declaration();
        if !self.function_type(&function.ty, declaration) {
            return;
        }
        self.attachments(&function.metadata);
        self.check(
            function.subprogram.is_none_or(|id| id.index() < self.module.debug.subprograms.len()),
            || "the subprogram does not exist".into(),
        );
        let params = function.ty.params.len();
        self.check(function.param_attrs.is_empty() || function.param_attrs.len() == params, || {
            format!("{params} parameters have {} sets of attributes", function.param_attrs.len())
        });
        if declaration {
            self.check(matches!(function.linkage, Linkage::External | Linkage::ExternWeak), || {
                "a function without body must have external linkage".into()
            });
            self.external(function);
            return;
        }
        self.check(function.linkage != Linkage::ExternWeak, || {
            "a function with a body cannot be `extern_weak`".into()
        });
        self.check(!function.ty.varargs, || "a function with a body takes a fixed list of arguments".into());
        self.values(function);
        if self.errors.len() > errors {
            return;
        }
        let places = self.placement(function);
        self.terminators(function);
        if self.errors.len() > errors {
            return;
        }
        // From here every handle is in range.
        self.instructions(function);
        if self.errors.len() > errors {
            return;
        }
        let cfg = Cfg::new(function);
        self.block = Some(Function::ENTRY);
        self.check(cfg.predecessors[Function::ENTRY.index()].is_empty(), || {
            "the entry block has predecessors".into()
        });
        self.block = None;
        self.edges(function);
        if self.errors.len() == errors {
            self.dominance(function, &cfg, &places);
        }
    }

    /// Types of values, and parameters in their places.
    fn values(&mut self, function: &'m Function) {
        let params = function.ty.params.len();
        if !self.check(function.values().len() >= params, || "parameters have no values".into()) {
            return;
        }
        for (index, value) in function.values().iter().enumerate() {
            match &value.def {
                ValueDef::Param(position) => {
                    self.check(index < params && *position as usize == index, || {
                        format!("value {index} is parameter {position}: parameters come first, in order")
                    });
                }
                ValueDef::Inst(_) => {
                    self.check(index >= params, || format!("value {index} must be a parameter"));
                }
                ValueDef::Const(constant) => {
                    self.check(index >= params, || format!("value {index} must be a parameter"));
                    if self.value_type(&value.ty) {
                        self.constant(&value.ty, constant, 0);
                    }
                }
            }
            if let Some(param) = function.ty.params.get(index) {
                self.check(value.ty == *param, || {
                    format!("parameter {index} is a `{param}`, its value a `{}`", value.ty)
                });
            }
        }
    }

    /// Instructions stand in one place, with a result that is theirs and operands that exist.
    fn placement(&mut self, function: &'m Function) -> Vec<Place> {
        let mut places: Vec<Place> = vec![None; function.inst_count()];
        for block in function.block_ids() {
            self.block = Some(block);
            self.attachments(&function.block(block).metadata);
            self.location(function.block(block).location);
            for (position, id) in function.block(block).insts.iter().enumerate() {
                let Some(place) = places.get_mut(id.index()) else {
                    self.error("the block lists an instruction that does not exist");
                    continue;
                };
                if place.replace((block, position as u32)).is_some() {
                    self.inst = Some(*id);
                    self.error("this instruction stands in two places");
                    self.inst = None;
                    continue;
                }
                self.handles(function, *id);
            }
        }
        self.block = None;
        places
    }

    /// Handles of one instruction.
    fn handles(&mut self, function: &'m Function, id: InstId) {
        self.inst = Some(id);
        let data = function.inst(id);
        let values = function.values();
        self.attachments(&data.metadata);
        self.location(data.location);
        if let Some(result) = data.result {
            match values.get(result.index()) {
                Some(value) => {
                    self.check(value.def == ValueDef::Inst(id), || {
                        "the result is a value that something else defines".into()
                    });
                    self.value_type(&value.ty);
                }
                None => self.error("the result is a value that does not exist"),
            }
        } else {
            let silent = match &data.inst {
                Inst::Store { .. } | Inst::Fence { .. } => true,
                Inst::Call(call) => call.ty.ret == Type::Void,
                _ => false,
            };
            self.check(silent, || "this instruction must have a result".into());
        }
        let mut in_range = true;
        data.inst.for_each_operand(|value| in_range &= value.index() < values.len());
        self.check(in_range, || "an operand is a value that does not exist".into());
        if let Inst::Phi { incoming, .. } = &data.inst {
            let known = incoming.iter().all(|(block, _)| block.index() < function.blocks.len());
            self.check(known, || "an edge comes from a block that does not exist".into());
        }
        self.inst = None;
    }

    fn terminators(&mut self, function: &'m Function) {
        for block in function.block_ids() {
            self.block = Some(block);
            let terminator = &function.block(block).terminator;
            let known = match terminator {
                Terminator::Ret(_) | Terminator::Unreachable => true,
                _ => terminator.successors().iter().all(|target| target.index() < function.blocks.len()),
            };
            self.check(known, || "the block jumps to one that does not exist".into());
            let operand = terminator.operand().map(|value| function.values().get(value.index()));
            if let Some(None) = operand {
                self.error("the terminator uses a value that does not exist");
                continue;
            }
            let ty = operand.flatten().map(|value| &value.ty);
            self.terminator(function, terminator, ty);
        }
        self.block = None;
    }

    /// `ty` is the type of the terminator's operand.
    fn terminator(&mut self, function: &Function, terminator: &Terminator, ty: Option<&Type>) {
        match terminator {
            Terminator::Ret(_) => {
                let given = ty.unwrap_or(&Type::Void);
                self.check(*given == function.ty.ret, || {
                    format!("the function returns `{}`, not `{given}`", function.ty.ret)
                });
            }
            Terminator::CondBr { .. } => {
                self.check(ty == Some(&Type::I1), || "a branch decides on an `i1`".into());
            }
            Terminator::Switch { cases, .. } => {
                let Some(Type::Scalar(Scalar::Int(width))) = ty else {
                    self.error("a switch decides on an integer");
                    return;
                };
                let mut numbers: Vec<u64> = cases.iter().map(|(number, _)| *number).collect();
                numbers.sort_unstable();
                self.check(numbers.windows(2).all(|pair| pair[0] != pair[1]), || {
                    "two cases of the switch are the same".into()
                });
                let fits = numbers.last().is_none_or(|last| *width >= 64 || last >> width == 0);
                self.check(fits, || format!("a case of the switch is no `i{width}`"));
            }
            Terminator::Br(_) | Terminator::Unreachable => {}
        }
    }

    /// φ-functions stand first, with one entry for each edge.
    fn edges(&mut self, function: &'m Function) {
        let mut incoming: Vec<Vec<BlockId>> = vec![Vec::new(); function.blocks.len()];
        let has_phi: Vec<bool> =
            function.blocks.iter().map(|block| leading_phis(function, block).next().is_some()).collect();
        for block in function.block_ids() {
            for target in function.block(block).terminator.successors() {
                if has_phi[target.index()] {
                    incoming[target.index()].push(block);
                }
            }
        }
        for id in function.block_ids() {
            self.block = Some(id);
            let block = function.block(id);
            let phis = leading_phis(function, block).count();
            for inst in &block.insts[phis..] {
                if matches!(function.inst(*inst).inst, Inst::Phi { .. }) {
                    self.inst = Some(*inst);
                    self.error("a φ-function stands behind other instructions");
                    self.inst = None;
                }
            }
            let edges = &mut incoming[id.index()];
            edges.sort_unstable();
            for (inst, entries) in leading_phis(function, block) {
                self.inst = Some(inst);
                let mut entries = entries.to_vec();
                entries.sort_unstable();
                self.check(entries.iter().map(|(block, _)| block).eq(edges.iter()), || {
                    "the entries do not match the edges into the block".into()
                });
                let agree = entries.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].1 == pair[1].1);
                self.check(agree, || "edges from one block bring different values".into());
                self.check(!entries.is_empty(), || "a φ-function has at least one entry".into());
                self.inst = None;
            }
        }
        self.block = None;
    }

    /// Definitions dominate their uses.
    fn dominance(&mut self, function: &'m Function, cfg: &Cfg, places: &[Place]) {
        let dominators = DominatorTree::new(cfg);
        let reaches = |value: ValueId, block: BlockId, position: u32| match &function.value(value).def {
            ValueDef::Param(_) | ValueDef::Const(_) => true,
            ValueDef::Inst(inst) => match places.get(inst.index()) {
                Some(Some(_)) if !cfg.is_reachable(block) => true,
                Some(Some((defined, at))) if *defined == block => *at < position,
                Some(Some((defined, _))) => dominators.dominates(*defined, block),
                _ => false,
            },
        };
        for id in function.block_ids() {
            self.block = Some(id);
            let block = function.block(id);
            for (position, inst) in block.insts.iter().enumerate() {
                let data = function.inst(*inst);
                let mut defined = true;
                if let Inst::Phi { incoming, .. } = &data.inst {
                    for (from, value) in incoming {
                        defined &= reaches(*value, *from, u32::MAX);
                    }
                } else {
                    data.inst.for_each_operand(|value| defined &= reaches(value, id, position as u32));
                }
                if !defined {
                    self.inst = Some(*inst);
                    self.error("an operand is not defined on every path to here");
                    self.inst = None;
                }
            }
            let operand = block.terminator.operand();
            self.check(operand.is_none_or(|value| reaches(value, id, u32::MAX)), || {
                "the terminator's operand is not defined on every path to it".into()
            });
        }
        self.block = None;
    }
}

/// φ-functions at the head of a block with their entries.
fn leading_phis<'f>(
    function: &'f Function,
    block: &'f Block,
) -> impl Iterator<Item = (InstId, &'f [(BlockId, ValueId)])> {
    block.insts.iter().map_while(|inst| match &function.inst(*inst).inst {
        Inst::Phi { incoming, .. } => Some((*inst, incoming.as_slice())),
        _ => None,
    })
}
