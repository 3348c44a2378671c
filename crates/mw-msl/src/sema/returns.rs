//! Functions whose body may end without the value that they should return.

use super::Sema;
use super::scope::FnSource;
use crate::ast::FunctionDecl;
use crate::hir::{Block, Constant, Expr, ExprKind, Stmt, StmtKind};
use crate::types::Type;
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::{BytePos, Span};

impl<'a> Sema<'a> {
    /// Warns at the closing brace of a body whose end can be reached, if the function returns something.
    pub(crate) fn check_returns(
        &mut self,
        body: &Block,
        source: FnSource<'a>,
        definition: Option<&'a FunctionDecl>,
    ) {
        let Some(result) = self.frame.result else { return };
        let (at, name) = match (source, definition) {
            (_, Some(decl)) => match &decl.body {
                crate::ast::FunctionBody::Block(stmt) => {
                    (stmt.span, format!("`{}`", self.sources.text(decl.name.span)))
                }
                _ => return,
            },
            (FnSource::Lambda(lambda, _), None) => (lambda.body.span, "this lambda".to_owned()),
            (FnSource::Declared(_), None) => return,
        };
        if result.ty == self.t.void || self.is_error(result.ty) || !self.is_user(at) || !self.runs_on(body) {
            return;
        }
        let brace = Span { start: BytePos(at.end.0.saturating_sub(1)), ..at };
        let shown = self.show(result);
        self.report(
            Diagnostic::new(
                &codes::MISSING_RETURN,
                brace,
                format!("{name} can end without returning a value"),
            )
            .label(format!("a `{shown}` should be returned before this"))
            .note("what the caller gets then is undefined"),
        );
    }

    /// Can what follows a block be reached through its end?
    fn runs_on(&self, block: &[Stmt]) -> bool {
        block.iter().all(|stmt| self.passes(stmt))
    }

    /// Can the next statement be reached?
    fn passes(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => false,
            StmtKind::Expr(_) | StmtKind::Let(..) => true,
            StmtKind::Block(block) => self.runs_on(block),
            StmtKind::If { condition, then, otherwise } => match known(condition) {
                Some(true) => self.runs_on(then),
                Some(false) => self.runs_on(otherwise),
                None => self.runs_on(then) || self.runs_on(otherwise),
            },
            StmtKind::Loop { condition, body, .. } => {
                condition.as_ref().is_some_and(|test| known(test) != Some(true)) || leaves(body)
            }
            StmtKind::DoWhile { body, condition, .. } => {
                leaves(body) || ((self.runs_on(body) || continues(body)) && known(condition) != Some(true))
            }
            StmtKind::Switch { value, cases } => {
                let covers = cases.iter().any(|case| case.is_default)
                    || match &value.kind {
                        ExprKind::Cast(_, inner) => self.names_all(inner, cases),
                        _ => self.names_all(value, cases),
                    };
                !covers
                    || cases.iter().any(|case| leaves(&case.body))
                    || cases.last().is_some_and(|case| self.runs_on(&case.body))
            }
        }
    }

    /// Do the cases name every member of the enumeration that is switched on?
    fn names_all(&self, value: &Expr, cases: &[crate::hir::SwitchCase]) -> bool {
        let value = match &value.kind {
            ExprKind::Cast(_, inner) => inner,
            _ => value,
        };
        let Type::Enum(id) = *self.ty(value.ty) else { return false };
        let scope = &self.scopes[self.enum_scopes[id.0 as usize].0 as usize];
        scope.keys().all(|key| match scope.get(key) {
            Some((super::scope::Entry::Constant(_, Constant::Int(member)), _)) => {
                cases.iter().any(|case| case.values.contains(member))
            }
            _ => true,
        })
    }
}

fn known(condition: &Expr) -> Option<bool> {
    match &condition.kind {
        ExprKind::Constant(Constant::Bool(value)) => Some(*value),
        _ => None,
    }
}

/// Does a `break` of the enclosing loop or `switch` stand in a block?
fn leaves(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::Block(block) => leaves(block),
        StmtKind::If { then, otherwise, .. } => leaves(then) || leaves(otherwise),
        // Those of inner loops and switches are their own.
        _ => false,
    })
}

/// Does a `continue` of the enclosing loop stand in a block?
fn continues(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue => true,
        StmtKind::Block(block) => continues(block),
        StmtKind::If { then, otherwise, .. } => continues(then) || continues(otherwise),
        StmtKind::Switch { cases, .. } => cases.iter().any(|case| continues(&case.body)),
        _ => false,
    })
}
