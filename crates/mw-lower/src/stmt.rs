//! Statements: control flow.

use mw_air::{BlockId, MdNode, MdOperand, Scalar, Terminator, Type};
use mw_msl::hir::{Block, Expr, Stmt, StmtKind, SwitchCase, Unroll};
use mw_source::Span;

use crate::context::FunctionLowering;
use crate::error::LowerError;
use crate::place::Address;
use crate::types::is_aggregate;

/// Where `break` and `continue` lead. A switch has no `continue` of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jump {
    pub break_to: BlockId,
    pub continue_to: Option<BlockId>,
}

impl FunctionLowering<'_, '_> {
    /// Statements in order. What stands behind a jump is never executed and left out.
    pub(crate) fn block(&mut self, block: &Block) -> Result<(), LowerError> {
        for stmt in block {
            if self.is_terminated {
                break;
            }
            self.enter(stmt.span)?;
            let result = self.stmt(stmt);
            self.depth -= 1;
            result?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), LowerError> {
        match &stmt.kind {
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::Let(local, value) => self.bring_to_life(*local, value.as_ref(), stmt.span),
            StmtKind::Block(block) => self.block(block),
            StmtKind::If { condition, then, otherwise } => self.if_stmt(condition, then, otherwise),
            StmtKind::Loop { before_condition, condition, step, body, unroll } => {
                self.loop_stmt(before_condition, condition.as_ref(), step.as_ref(), body, *unroll)
            }
            StmtKind::DoWhile { body, condition, unroll } => self.do_while(body, condition, *unroll),
            StmtKind::Switch { value, cases } => self.switch(value, cases, stmt.span),
            StmtKind::Break => {
                let Some(jump) = self.jumps.last().copied() else {
                    return Err(LowerError::malformed(stmt.span, "`break` outside of loops"));
                };
                self.br(jump.break_to);
                Ok(())
            }
            StmtKind::Continue => {
                let Some(target) = self.jumps.iter().rev().find_map(|jump| jump.continue_to) else {
                    return Err(LowerError::malformed(stmt.span, "`continue` outside of loops"));
                };
                self.br(target);
                Ok(())
            }
            StmtKind::Return(value) => self.return_stmt(value.as_ref(), stmt.span),
        }
    }

    fn if_stmt(&mut self, condition: &Expr, then: &Block, otherwise: &Block) -> Result<(), LowerError> {
        let condition = self.value(condition)?;
        if let Some(known) = self.function.as_int(condition) {
            return self.block(if known == 1 { then } else { otherwise });
        }
        let (yes, join) = (self.add_block(), self.add_block());
        let no = if otherwise.is_empty() { join } else { self.add_block() };
        self.cond_br(condition, yes, no);
        self.switch_to(yes);
        self.block(then)?;
        self.br(join);
        if no != join {
            self.switch_to(no);
            self.block(otherwise)?;
            self.br(join);
        }
        self.switch_to(join);
        Ok(())
    }

    fn loop_stmt(
        &mut self,
        before: &Block,
        condition: Option<&Expr>,
        step: Option<&Expr>,
        body: &Block,
        unroll: Unroll,
    ) -> Result<(), LowerError> {
        let (header, inside, latch, exit) =
            (self.add_block(), self.add_block(), self.add_block(), self.add_block());
        self.br(header);
        self.switch_to(header);
        self.block(before)?;
        match condition {
            Some(condition) => {
                let condition = self.value(condition)?;
                self.cond_br(condition, inside, exit);
            }
            None => self.br(inside),
        }
        self.switch_to(inside);
        self.jumps.push(Jump { break_to: exit, continue_to: Some(latch) });
        let result = self.block(body);
        self.jumps.pop();
        result?;
        self.br(latch);
        self.switch_to(latch);
        if let Some(step) = step {
            self.effect(step)?;
        }
        self.hint(unroll);
        self.br(header);
        self.switch_to(exit);
        Ok(())
    }

    fn do_while(&mut self, body: &Block, condition: &Expr, unroll: Unroll) -> Result<(), LowerError> {
        let (inside, latch, exit) = (self.add_block(), self.add_block(), self.add_block());
        self.br(inside);
        self.switch_to(inside);
        self.jumps.push(Jump { break_to: exit, continue_to: Some(latch) });
        let result = self.block(body);
        self.jumps.pop();
        result?;
        self.br(latch);
        self.switch_to(latch);
        let condition = self.value(condition)?;
        self.hint(unroll);
        self.cond_br(condition, inside, exit);
        self.switch_to(exit);
        Ok(())
    }

    /// What the source asks of the loop whose back edge the current block is about to become.
    fn hint(&mut self, unroll: Unroll) {
        let text = match unroll {
            Unroll::Auto => return,
            Unroll::Full => "llvm.loop.unroll.full",
            Unroll::Count(_) => "llvm.loop.unroll.count",
            Unroll::Disable => "llvm.loop.unroll.disable",
        };
        let metadata = &mut self.module.module.metadata;
        let mut operands = vec![MdOperand::String(text.into())];
        if let Unroll::Count(count) = unroll {
            operands.push(MdOperand::Value(mw_air::TypedConstant::int(Type::I32, u64::from(count))));
        }
        let hint = metadata.add(MdNode { distinct: false, operands });
        let node = metadata.add(MdNode { distinct: true, operands: Vec::new() });
        metadata.nodes[node.index()].operands = vec![MdOperand::Node(node), MdOperand::Node(hint)];
        self.function.block_mut(self.block).metadata.push(("llvm.loop".into(), node));
    }

    fn switch(&mut self, value: &Expr, cases: &[SwitchCase], span: Span) -> Result<(), LowerError> {
        let value = self.value(value)?;
        let Type::Scalar(Scalar::Int(bits)) = self.ty(value) else {
            return Err(LowerError::malformed(span, "a switch on what is no integer"));
        };
        let mask = if bits < 64 { (1_u64 << bits) - 1 } else { u64::MAX };
        let exit = self.add_block();
        let blocks: Vec<BlockId> = cases.iter().map(|_| self.add_block()).collect();
        let mut default = exit;
        let mut table = Vec::new();
        for (case, block) in cases.iter().zip(&blocks) {
            if case.is_default {
                default = *block;
            }
            for number in &case.values {
                let number = *number as u64 & mask;
                if !table.iter().any(|(known, _)| *known == number) {
                    table.push((number, *block));
                }
            }
        }
        self.terminate(Terminator::Switch { value, default, cases: table });
        self.jumps.push(Jump { break_to: exit, continue_to: None });
        for (index, (case, block)) in cases.iter().zip(&blocks).enumerate() {
            self.switch_to(*block);
            if let Err(error) = self.block(&case.body) {
                self.jumps.pop();
                return Err(error);
            }
            self.br(blocks.get(index + 1).copied().unwrap_or(exit));
        }
        self.jumps.pop();
        self.switch_to(exit);
        Ok(())
    }

    fn return_stmt(&mut self, value: Option<&Expr>, span: Span) -> Result<(), LowerError> {
        let Some(value) = value else {
            self.terminate(Terminator::Ret(None));
            return Ok(());
        };
        if is_aggregate(self.program(), value.ty) {
            let Some(to) = self.result else {
                return Err(LowerError::malformed(span, "a record from a function that gives none"));
            };
            let to = Address::new(to, self.layout(value.ty).1);
            self.aggregate_into(to, value.ty, value)?;
            self.terminate(Terminator::Ret(None));
            return Ok(());
        }
        if self.function.ty.ret == Type::Void {
            self.effect(value)?;
            self.terminate(Terminator::Ret(None));
            return Ok(());
        }
        let value = self.value(value)?;
        self.terminate(Terminator::Ret(Some(value)));
        Ok(())
    }
}
