//! Constant evaluation: calls and statements.

use super::Sema;
use super::evaluate::{E, Flow, MAX_CALLS, MAX_STEPS, Machine, Value, stop};
use super::evaluate_number::int;
use super::scope::BodyState;
use crate::hir::{Block, FunctionId, LocalId, Stmt, StmtKind};
use mw_source::Span;
use std::rc::Rc;

impl Sema<'_> {
    pub(crate) fn call_function(
        &mut self,
        m: &mut Machine,
        id: FunctionId,
        arguments: Vec<Value>,
        span: Span,
    ) -> E<Value> {
        if m.frames.len() > MAX_CALLS {
            return stop(span, format!("calls nest deeper than {MAX_CALLS}"));
        }
        let Some(instance) = self.instance_of.get(id.0 as usize).copied() else {
            return stop(span, "is not called when compiling");
        };
        if self.instance(instance).state != BodyState::Done {
            if self.instance(instance).state == BodyState::Checking {
                return stop(span, "calls the function that is being checked");
            }
            self.check_now(instance);
        }
        let body = match self.bodies.get(&id) {
            Some(body) => body.clone(),
            None => match &self.program.function(id).body {
                Some(body) => {
                    let body = Rc::new(body.clone());
                    self.bodies.insert(id, body.clone());
                    body
                }
                None => return stop(span, "has no body to evaluate"),
            },
        };
        let mut frame = rustc_hash::FxHashMap::default();
        for (at, value) in arguments.into_iter().enumerate() {
            let ty = self.program.function(id).locals.get(at).map_or(self.t.error, |local| local.ty.ty);
            frame.insert(LocalId(at as u32), (ty, value));
        }
        m.frames.push(frame);
        let result = self.run_block(m, id, &body);
        m.frames.pop();
        match result? {
            Flow::Return(value) => Ok(value),
            _ => Ok(Value::Zero),
        }
    }

    fn run_block(&mut self, m: &mut Machine, id: FunctionId, block: &Block) -> E<Flow> {
        for stmt in block {
            match self.run_stmt(m, id, stmt)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn run_stmt(&mut self, m: &mut Machine, id: FunctionId, stmt: &Stmt) -> E<Flow> {
        m.steps += 1;
        if m.steps > MAX_STEPS {
            return stop(stmt.span, format!("takes more than {MAX_STEPS} steps"));
        }
        match &stmt.kind {
            StmtKind::Expr(expr) => {
                self.eval(m, expr)?;
                Ok(Flow::Next)
            }
            StmtKind::Let(local, value) => {
                let ty = self
                    .program
                    .function(id)
                    .locals
                    .get(local.0 as usize)
                    .map_or(self.t.error, |local| local.ty.ty);
                let value = match value {
                    Some(value) => self.eval(m, value)?,
                    None => Value::Undefined,
                };
                Self::set_local(m, *local, ty, value);
                Ok(Flow::Next)
            }
            StmtKind::Block(block) => self.run_block(m, id, block),
            StmtKind::If { condition, then, otherwise } => {
                let test = self.eval(m, condition)?;
                if int(&test) != 0 { self.run_block(m, id, then) } else { self.run_block(m, id, otherwise) }
            }
            StmtKind::Loop { before_condition, condition, step, body, .. } => loop {
                if let flow @ (Flow::Return(_) | Flow::Break) = self.run_block(m, id, before_condition)? {
                    return Ok(flow);
                }
                if let Some(condition) = condition {
                    let test = self.eval(m, condition)?;
                    if int(&test) == 0 {
                        return Ok(Flow::Next);
                    }
                }
                match self.run_block(m, id, body)? {
                    Flow::Break => return Ok(Flow::Next),
                    flow @ Flow::Return(_) => return Ok(flow),
                    Flow::Next | Flow::Continue => {}
                }
                if let Some(step) = step {
                    self.eval(m, step)?;
                }
                m.steps += 1;
                if m.steps > MAX_STEPS {
                    return stop(stmt.span, format!("takes more than {MAX_STEPS} steps"));
                }
            },
            StmtKind::DoWhile { body, condition, .. } => loop {
                match self.run_block(m, id, body)? {
                    Flow::Break => return Ok(Flow::Next),
                    flow @ Flow::Return(_) => return Ok(flow),
                    Flow::Next | Flow::Continue => {}
                }
                let test = self.eval(m, condition)?;
                if int(&test) == 0 {
                    return Ok(Flow::Next);
                }
            },
            StmtKind::Switch { value, cases } => {
                let value = self.eval(m, value)?;
                let value = int(&value);
                let start = cases
                    .iter()
                    .position(|case| case.values.contains(&value))
                    .or_else(|| cases.iter().position(|case| case.is_default));
                if let Some(start) = start {
                    for case in &cases[start..] {
                        match self.run_block(m, id, &case.body)? {
                            Flow::Next => {}
                            Flow::Break => return Ok(Flow::Next),
                            flow => return Ok(flow),
                        }
                    }
                }
                Ok(Flow::Next)
            }
            StmtKind::Break => Ok(Flow::Break),
            StmtKind::Continue => Ok(Flow::Continue),
            StmtKind::Return(value) => Ok(Flow::Return(match value {
                Some(value) => self.eval(m, value)?,
                None => Value::Zero,
            })),
        }
    }
}
