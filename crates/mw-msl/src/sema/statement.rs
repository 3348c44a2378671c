//! Statements.

use super::lookup::segment_name;
use super::report::forbidden;
use super::scope::{Entry, Key};
use super::value::Val;
use super::{R, Sema};
use crate::ast::{self, Condition, ContractMode, Pragma, StmtKind as Ast, UnrollHint, VariableDecl};
use crate::hir::{Block, Constant, Expr, Place, PlaceKind, Stmt, StmtKind, SwitchCase, Unroll};
use crate::types::{QualType, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// The body of a function, in the scope of its parameters.
    pub(crate) fn function_block(&mut self, stmt: &'a ast::Stmt) -> Block {
        let mut out = Vec::new();
        match &stmt.kind {
            Ast::Block(stmts) => {
                for stmt in stmts {
                    self.stmt(stmt, &mut out);
                }
            }
            _ => self.stmt(stmt, &mut out),
        }
        out
    }

    pub(crate) fn block(&mut self, stmt: &'a ast::Stmt) -> Block {
        self.in_block(|s| s.function_block(stmt))
    }

    fn stmt(&mut self, stmt: &'a ast::Stmt, out: &mut Block) {
        let span = stmt.span;
        if self.nesting > super::MAX_NESTING {
            let _ = self.nested::<()>(span, |_| Ok(()));
            return;
        }
        self.nesting += 1;
        self.stmt_kind(stmt, out);
        self.nesting -= 1;
    }

    fn stmt_kind(&mut self, stmt: &'a ast::Stmt, out: &mut Block) {
        let span = stmt.span;
        match &stmt.kind {
            Ast::Block(_) => {
                let block = self.block(stmt);
                out.push(Stmt { kind: StmtKind::Block(block), span });
            }
            Ast::Decl(decl) => self.local_decl(decl, out),
            Ast::Expr(expr) => {
                if let Ok(expr) = self.statement_expr(expr) {
                    out.push(Stmt { kind: StmtKind::Expr(expr), span });
                }
            }
            Ast::Empty | Ast::Error => {}
            Ast::If { is_constexpr, initializer, condition, then, otherwise } => {
                let mut inner = Vec::new();
                self.in_block(|s| {
                    if let Some(initializer) = initializer {
                        s.stmt(initializer, &mut inner);
                    }
                    s.if_stmt(*is_constexpr, condition, then, otherwise.as_deref(), span, &mut inner);
                });
                Self::push_flat(inner, span, out);
            }
            Ast::While { condition, body, hint } => {
                let unroll = self.unroll(hint.as_ref());
                self.in_block(|s| {
                    let mut before = Vec::new();
                    let condition = s.loop_condition(condition, &mut before);
                    let body = s.loop_body(body);
                    out.push(Stmt {
                        kind: StmtKind::Loop {
                            before_condition: before,
                            condition,
                            step: None,
                            body,
                            unroll,
                        },
                        span,
                    });
                });
            }
            Ast::DoWhile { body, condition, hint } => {
                let unroll = self.unroll(hint.as_ref());
                let body = self.loop_body(body);
                let test = self.expr(condition).and_then(|value| self.condition(value, condition.span));
                if let Ok(condition) = test {
                    out.push(Stmt { kind: StmtKind::DoWhile { body, condition, unroll }, span });
                }
            }
            Ast::For { initializer, condition, step, body, hint } => {
                let unroll = self.unroll(hint.as_ref());
                let mut inner = Vec::new();
                self.in_block(|s| {
                    if let Some(initializer) = initializer {
                        s.stmt(initializer, &mut inner);
                    }
                    let mut before = Vec::new();
                    let condition =
                        condition.as_ref().and_then(|condition| s.loop_condition(condition, &mut before));
                    let step = step.as_ref().and_then(|step| s.statement_expr(step).ok());
                    let body = s.loop_body(body);
                    inner.push(Stmt {
                        kind: StmtKind::Loop { before_condition: before, condition, step, body, unroll },
                        span,
                    });
                });
                Self::push_flat(inner, span, out);
            }
            Ast::RangeFor { variable, range, body, hint } => {
                let unroll = self.unroll(hint.as_ref());
                let mut inner = Vec::new();
                let _ = self.in_block(|s| s.range_for(variable, range, body, unroll, span, &mut inner));
                out.push(Stmt { kind: StmtKind::Block(inner), span });
            }
            Ast::Switch { initializer, condition, body } => {
                let mut inner = Vec::new();
                let _ = self.in_block(|s| {
                    if let Some(initializer) = initializer {
                        s.stmt(initializer, &mut inner);
                    }
                    s.switch(condition, body, span, &mut inner)
                });
                Self::push_flat(inner, span, out);
            }
            Ast::Case { .. } | Ast::Default(_) => self.report(Diagnostic::new(
                &codes::INVALID_STATEMENT,
                span,
                "a `case` label stands directly in the braces of a `switch`",
            )),
            Ast::Break => {
                if self.frame.loops == 0 && self.frame.switches == 0 {
                    self.report(Diagnostic::new(
                        &codes::INVALID_STATEMENT,
                        span,
                        "`break` stands outside of a loop or `switch`",
                    ));
                    return;
                }
                out.push(Stmt { kind: StmtKind::Break, span });
            }
            Ast::Continue => {
                if self.frame.loops == 0 {
                    self.report(Diagnostic::new(
                        &codes::INVALID_STATEMENT,
                        span,
                        "`continue` stands outside of a loop",
                    ));
                    return;
                }
                out.push(Stmt { kind: StmtKind::Continue, span });
            }
            Ast::Return(value) => {
                let _ = self.return_stmt(value.as_ref(), span, out);
            }
            Ast::Goto(label) => {
                self.report(forbidden(label.span, "`goto`").help("write a loop with `break` and `continue`"));
            }
            Ast::Label(_, inner) => self.stmt(inner, out),
            Ast::Pragma(pragma) => match pragma {
                Pragma::Contract(mode) => self.frame.rules.contract = *mode != ContractMode::Off,
                Pragma::MathMode(mode) => self.frame.rules.math_mode = *mode,
                Pragma::Internals(_) => {}
            },
        }
    }

    /// A block of its own, unless it is one statement that declares nothing.
    fn push_flat(mut inner: Block, span: Span, out: &mut Block) {
        if inner.len() == 1 && !matches!(inner[0].kind, StmtKind::Let(..)) {
            out.append(&mut inner);
        } else if !inner.is_empty() {
            out.push(Stmt { kind: StmtKind::Block(inner), span });
        }
    }

    fn if_stmt(
        &mut self,
        is_constexpr: bool,
        condition: &'a Condition,
        then: &'a ast::Stmt,
        otherwise: Option<&'a ast::Stmt>,
        span: Span,
        out: &mut Block,
    ) {
        let test = match condition {
            Condition::Expr(expr) => {
                let unevaluated = std::mem::take(&mut self.unevaluated);
                let test = self.expr(expr).and_then(|value| self.condition(value, expr.span));
                self.unevaluated = unevaluated;
                test.map(|test| (test, expr.span))
            }
            Condition::Variable(decl) => self.condition_variable(decl, out).map(|test| (test, decl.span)),
        };
        let Ok((test, at)) = test else {
            // The branches are checked all the same, unless only one of them would be.
            if !is_constexpr {
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.block(otherwise);
                }
            }
            return;
        };
        if is_constexpr {
            match self.evaluate(&test, at) {
                Ok(Constant::Bool(true)) => {
                    let block = self.block(then);
                    out.push(Stmt { kind: StmtKind::Block(block), span });
                }
                Ok(_) => {
                    if let Some(otherwise) = otherwise {
                        let block = self.block(otherwise);
                        out.push(Stmt { kind: StmtKind::Block(block), span });
                    }
                }
                Err(_) => {}
            }
            return;
        }
        let then = self.block(then);
        let otherwise = otherwise.map_or_else(Vec::new, |stmt| self.block(stmt));
        out.push(Stmt { kind: StmtKind::If { condition: test, then, otherwise }, span });
    }

    /// `if (T x = e)`
    fn condition_variable(&mut self, decl: &'a VariableDecl, out: &mut Block) -> R<Expr> {
        self.local_variable(decl, out)?;
        let name = decl.name.as_ref().and_then(|name| segment_name(&name.last)).ok_or(super::Failed)?;
        let value = match self.lookup(Key::Name(name)) {
            super::lookup::Found::Entry(Entry::Local(entry)) => self.local_value(entry, decl.span)?,
            _ => return Err(super::Failed),
        };
        self.condition(value, decl.span)
    }

    fn loop_condition(&mut self, condition: &'a Condition, before: &mut Block) -> Option<Expr> {
        match condition {
            Condition::Expr(expr) => {
                let test = self.expr(expr).and_then(|value| self.condition(value, expr.span));
                test.ok()
            }
            Condition::Variable(decl) => self.condition_variable(decl, before).ok(),
        }
    }

    fn loop_body(&mut self, body: &'a ast::Stmt) -> Block {
        self.frame.loops += 1;
        let block = self.block(body);
        self.frame.loops -= 1;
        block
    }

    fn unroll(&mut self, hint: Option<&'a UnrollHint>) -> Unroll {
        match hint {
            None | Some(UnrollHint::None) => Unroll::Auto,
            Some(UnrollHint::Full) => Unroll::Full,
            Some(UnrollHint::Disable) => Unroll::Disable,
            Some(UnrollHint::Count(count)) => match self.integer_constant(count) {
                Ok(0 | 1) => Unroll::Disable,
                Ok(count) => Unroll::Count(count.clamp(1, 1 << 20) as u32),
                Err(_) => Unroll::Auto,
            },
        }
    }

    fn range_for(
        &mut self,
        variable: &'a VariableDecl,
        range: &'a ast::Expr,
        body: &'a ast::Stmt,
        unroll: Unroll,
        span: Span,
        out: &mut Block,
    ) -> R<()> {
        let value = self.expr(range)?;
        let place = self.place_of(value, range.span)?;
        // A temporary lives as long as the loop.
        let place = match place.kind {
            PlaceKind::Temporary(local, value) => {
                out.push(Stmt { kind: StmtKind::Let(local, Some(*value)), span: range.span });
                self.local_place(local, range.span)
            }
            kind => Place { kind, ..place },
        };
        let (first, end) = match self.ty(place.ty.ty).clone() {
            Type::Array(element, count) => {
                let first = self.decay(place, element);
                let count = self.int_value(i128::from(count), self.t.long, span);
                let end = self.arithmetic(ast::BinaryOp::Add, first.clone(), count, span)?;
                (first, end)
            }
            Type::Record(record) => {
                let edge = |s: &mut Self, name: Option<crate::names::Name>| -> R<Expr> {
                    let found = name.and_then(|name| s.member(record, Key::Name(name)));
                    let Some(Entry::Functions(set)) = found else {
                        return s.fail(|s| {
                            let shown = s.program.record(record).name.clone();
                            Diagnostic::new(
                                &codes::INVALID_STATEMENT,
                                range.span,
                                format!("`{shown}` has no `begin` and `end` to loop over"),
                            )
                        });
                    };
                    let functions = s.sets[set.0 as usize].clone();
                    let set = super::lookup::FnSet { functions, library: Vec::new() };
                    let key = Key::Name(name.ok_or(super::Failed)?);
                    let method = Val::Method(Box::new(Val::Place(place.clone(), false)), set, None, key);
                    let value = s.call_value(method, Vec::new(), range.span)?;
                    s.rvalue(value, range.span)
                };
                let (begin, end) = (self.well_known.begin, self.well_known.end);
                (edge(self, begin)?, edge(self, end)?)
            }
            _ => {
                let ty = place.ty;
                return self.fail(|s| {
                    let shown = s.show(ty);
                    Diagnostic::new(
                        &codes::INVALID_STATEMENT,
                        range.span,
                        format!("`{shown}` is nothing to loop over"),
                    )
                });
            }
        };
        let Type::Pointer(target) = *self.ty(first.ty) else {
            return self.error(
                &codes::UNSUPPORTED,
                range.span,
                "loops over iterators that are no pointers are not supported",
            );
        };
        let pointer_type = QualType::plain(first.ty);
        let current = self.new_local("", pointer_type, span);
        let last = self.new_local("", pointer_type, span);
        out.push(Stmt { kind: StmtKind::Let(current, Some(first)), span });
        out.push(Stmt { kind: StmtKind::Let(last, Some(end)), span });
        let load = |s: &Self, local| s.load(s.local_place(local, span));
        let test = self.arithmetic(ast::BinaryOp::NotEqual, load(self, current), load(self, last), span)?;
        let one = self.int_value(1, self.t.long, span);
        let next = self.arithmetic(ast::BinaryOp::Add, load(self, current), one, span)?;
        let place = self.local_place(current, span);
        let step = self.assign_expr(place, next, span);
        let mut inner = Vec::new();
        let element = Val::Place(self.deref(load(self, current), target), false);
        self.frame.loops += 1;
        let bound = self.in_block(|s| {
            let ty = s.deduce_auto(&variable.ty, &element, span)?;
            let value = s.convert(element, ty, span)?;
            let name = variable.name.as_ref().and_then(|name| segment_name(&name.last));
            if variable.bindings.is_empty() {
                let local = s.bind_local(name, ty, variable.span);
                inner.push(Stmt { kind: StmtKind::Let(local, Some(value)), span });
            } else {
                let local = s.bind_local(None, ty, variable.span);
                inner.push(Stmt { kind: StmtKind::Let(local, Some(value)), span });
                let place = s.local_place(local, span);
                let place = s.through_reference(place, ty, span);
                s.bind_structured(variable, place, &mut inner)?;
            }
            inner.extend(s.block(body));
            Ok(())
        });
        self.frame.loops -= 1;
        bound?;
        out.push(Stmt {
            kind: StmtKind::Loop {
                before_condition: Vec::new(),
                condition: Some(test),
                step: Some(step),
                body: inner,
                unroll,
            },
            span,
        });
        Ok(())
    }

    fn switch(
        &mut self,
        condition: &'a Condition,
        body: &'a ast::Stmt,
        span: Span,
        out: &mut Block,
    ) -> R<()> {
        let value = match condition {
            Condition::Expr(expr) => {
                let value = self.expr(expr)?;
                match value.ty() {
                    Some(ty) if self.is_record(ty.ty) => self.scalar_from_record(value, expr.span)?,
                    _ => self.rvalue(value, expr.span)?,
                }
            }
            Condition::Variable(decl) => {
                self.local_variable(decl, out)?;
                let name =
                    decl.name.as_ref().and_then(|name| segment_name(&name.last)).ok_or(super::Failed)?;
                match self.lookup(Key::Name(name)) {
                    super::lookup::Found::Entry(Entry::Local(entry)) => {
                        let value = self.local_value(entry, decl.span)?;
                        self.rvalue(value, decl.span)?
                    }
                    _ => return Err(super::Failed),
                }
            }
        };
        let value = match *self.ty(value.ty) {
            Type::Scalar(scalar) if scalar.is_integer() => {
                let ty = self.scalar(super::convert::promote(scalar));
                self.numeric(value, ty)
            }
            Type::Enum(id) => {
                let underlying = self.program.enumeration(id).underlying;
                let ty = self.scalar(super::convert::promote(underlying));
                self.enum_to_scalar(value, ty)
            }
            _ => {
                let (ty, at) = (value.ty, value.span);
                return self.fail(|s| {
                    let shown = s.show_type(ty);
                    Diagnostic::new(
                        &codes::INVALID_STATEMENT,
                        at,
                        format!("`switch` chooses by an integer, this is `{shown}`"),
                    )
                    .help("convert it, or write `if` and `else`")
                });
            }
        };
        let stmts: &'a [ast::Stmt] = match &body.kind {
            Ast::Block(stmts) => stmts,
            _ => std::slice::from_ref(body),
        };
        let mut cases: Vec<SwitchCase> = Vec::new();
        let mut labelled: rustc_hash::FxHashMap<i128, Span> = rustc_hash::FxHashMap::default();
        let mut twice: Option<(i128, Span, Span)> = None;
        self.frame.switches += 1;
        self.in_block(|s| {
            for stmt in stmts {
                let mut stmt = stmt;
                let mut labels: Option<SwitchCase> = None;
                loop {
                    match &stmt.kind {
                        Ast::Case { value: label, range_end, body } => {
                            let case = labels.get_or_insert_with(|| SwitchCase {
                                values: Vec::new(),
                                is_default: false,
                                body: Vec::new(),
                            });
                            if let Ok(low) = s.integer_constant(label) {
                                let low = s.wrap_to(low, value.ty);
                                let high = match range_end {
                                    Some(end) => s.integer_constant(end).unwrap_or(low),
                                    None => low,
                                };
                                if high - low > 4096 {
                                    s.report(Diagnostic::new(
                                        &codes::INVALID_STATEMENT,
                                        label.span,
                                        "this range of cases is too wide",
                                    ));
                                } else {
                                    for value in low..=high {
                                        if let Some(first) = labelled.insert(value, label.span) {
                                            twice = twice.or(Some((value, label.span, first)));
                                        }
                                    }
                                    case.values.extend(low..=high);
                                }
                            }
                            stmt = body;
                        }
                        Ast::Default(body) => {
                            labels
                                .get_or_insert_with(|| SwitchCase {
                                    values: Vec::new(),
                                    is_default: false,
                                    body: Vec::new(),
                                })
                                .is_default = true;
                            stmt = body;
                        }
                        _ => break,
                    }
                }
                if let Some(mut case) = labels {
                    // Labels that follow each other share one body.
                    match cases.last_mut() {
                        Some(last) if last.body.is_empty() => {
                            last.values.append(&mut case.values);
                            last.is_default |= case.is_default;
                        }
                        _ => cases.push(case),
                    }
                }
                let mut inner = Vec::new();
                s.stmt(stmt, &mut inner);
                match cases.last_mut() {
                    Some(case) => case.body.append(&mut inner),
                    None => {
                        // Declarations before the first label come to life, without their values.
                        out.extend(inner.into_iter().filter_map(|stmt| match stmt.kind {
                            StmtKind::Let(local, _) => {
                                Some(Stmt { kind: StmtKind::Let(local, None), span: stmt.span })
                            }
                            _ => None,
                        }));
                    }
                }
            }
        });
        self.frame.switches -= 1;
        if let Some((value, at, first)) = twice {
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::INVALID_STATEMENT,
                    at,
                    format!("`case {value}` stands twice in this `switch`"),
                )
                .with_label(first, "the first one")
            });
        }
        out.push(Stmt { kind: StmtKind::Switch { value, cases }, span });
        Ok(())
    }

    fn return_stmt(&mut self, value: Option<&'a ast::Expr>, span: Span, out: &mut Block) -> R<()> {
        let void = self.t.void;
        if self.frame.deduces_result {
            let (ty, value) = match value {
                None => (QualType::plain(void), None),
                Some(expr) => {
                    let value = self.expr(expr)?;
                    if value.ty().is_some_and(|ty| ty.ty == void) {
                        (QualType::plain(void), Some((value, expr.span)))
                    } else {
                        let ty = match self.frame.result_pattern {
                            Some(pattern) => self.deduce_auto(pattern, &value, expr.span)?,
                            None => return Err(super::Failed),
                        };
                        (ty, Some((value, expr.span)))
                    }
                }
            };
            match self.frame.result {
                None => self.frame.result = Some(ty),
                Some(before) if before.ty != ty.ty => {
                    return self.fail(|s| {
                        let (a, b) = (s.show(before), s.show(ty));
                        Diagnostic::new(
                            &codes::RETURN_TYPE,
                            span,
                            format!("this returns `{b}`, an earlier `return` gave `{a}`"),
                        )
                    });
                }
                Some(_) => {}
            }
            let value = match value {
                None => None,
                Some((value, at)) if ty.ty == void => {
                    let effect = self.discard(value, at)?;
                    out.push(Stmt { kind: StmtKind::Expr(effect), span });
                    None
                }
                Some((value, at)) => Some(self.convert(value, ty, at)?),
            };
            out.push(Stmt { kind: StmtKind::Return(value), span });
            return Ok(());
        }
        let result = self.frame.result.unwrap_or(QualType::plain(void));
        match value {
            None => {
                if result.ty != void {
                    return self.fail(|s| {
                        let shown = s.show(result);
                        Diagnostic::new(
                            &codes::RETURN_TYPE,
                            span,
                            format!("`return` without a value in a function that returns `{shown}`"),
                        )
                    });
                }
                out.push(Stmt { kind: StmtKind::Return(None), span });
            }
            Some(expr) => {
                if let ast::ExprKind::InitList(list) = &expr.kind {
                    let value = self.initialize_from_list(list, result, expr.span)?;
                    out.push(Stmt { kind: StmtKind::Return(Some(value)), span });
                    return Ok(());
                }
                let value = self.expr(expr)?;
                if result.ty == void {
                    if value.ty().is_some_and(|ty| ty.ty == void) {
                        let effect = self.discard(value, expr.span)?;
                        out.push(Stmt { kind: StmtKind::Expr(effect), span });
                        out.push(Stmt { kind: StmtKind::Return(None), span });
                        return Ok(());
                    }
                    return self.fail(|_| {
                        Diagnostic::new(&codes::RETURN_TYPE, expr.span, "a `void` function returns no value")
                            .note("kernels write their results into `device` buffers")
                    });
                }
                let value = self.convert(value, result, expr.span)?;
                out.push(Stmt { kind: StmtKind::Return(Some(value)), span });
            }
        }
        Ok(())
    }
}
