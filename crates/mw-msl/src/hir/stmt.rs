//! Statements of the typed program.

use super::{Expr, LocalId};
use mw_source::Span;

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Evaluated for its effects.
    Expr(Expr),
    /// A local comes to life; without value it is undefined.
    Let(LocalId, Option<Expr>),
    Block(Block),
    If {
        condition: Expr,
        then: Block,
        otherwise: Block,
    },
    /// `for`, `while`: test, then body, then step. No condition is `true`.
    /// What the condition declares (`while (T x = e)`) stands in `before_condition` and runs on each round.
    Loop {
        before_condition: Block,
        condition: Option<Expr>,
        step: Option<Expr>,
        body: Block,
        unroll: Unroll,
    },
    DoWhile {
        body: Block,
        condition: Expr,
        unroll: Unroll,
    },
    /// Bodies fall through from one case to the next unless they break.
    Switch {
        value: Expr,
        cases: Vec<SwitchCase>,
    },
    Break,
    Continue,
    Return(Option<Expr>),
}

/// The statements behind one or more labels.
#[derive(Clone, Debug)]
pub struct SwitchCase {
    /// Values that lead here, in the type of the switched value.
    pub values: Vec<i128>,
    pub is_default: bool,
    pub body: Block,
}

/// What the source asks of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unroll {
    /// Nothing.
    #[default]
    Auto,
    Full,
    Count(u32),
    Disable,
}
