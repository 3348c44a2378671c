//! Statements.

use super::{Attribute, Decl, Expr, Ident, VariableDecl};
use mw_source::Span;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `{ … }`
    Block(Vec<Stmt>),
    /// A declaration inside a function.
    Decl(Box<Decl>),
    /// `e;`
    Expr(Expr),
    /// `;`
    Empty,
    /// `if (init; condition) … else …`, `if constexpr`
    If {
        is_constexpr: bool,
        initializer: Option<Box<Stmt>>,
        condition: Condition,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    While {
        condition: Condition,
        body: Box<Stmt>,
        hint: Option<UnrollHint>,
    },
    DoWhile {
        body: Box<Stmt>,
        condition: Expr,
        hint: Option<UnrollHint>,
    },
    For {
        initializer: Option<Box<Stmt>>,
        condition: Option<Condition>,
        step: Option<Expr>,
        body: Box<Stmt>,
        hint: Option<UnrollHint>,
    },
    /// `for (auto x : range)`
    RangeFor {
        variable: Box<VariableDecl>,
        range: Expr,
        body: Box<Stmt>,
        hint: Option<UnrollHint>,
    },
    Switch {
        initializer: Option<Box<Stmt>>,
        condition: Condition,
        body: Box<Stmt>,
    },
    /// `case a:` or `case a ... b:`, with the statement that it labels.
    Case {
        value: Expr,
        range_end: Option<Expr>,
        body: Box<Stmt>,
    },
    Default(Box<Stmt>),
    Break,
    Continue,
    Return(Option<Expr>),
    Goto(Ident),
    Label(Ident, Box<Stmt>),
    /// `#pragma METAL fp contract(off)` and the like: holds until the end of the enclosing block.
    Pragma(Pragma),
    /// What could not be parsed; an error was given.
    Error,
}

/// What an `if`, a loop or a `switch` tests.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    Expr(Expr),
    /// `if (T x = e)`
    Variable(Box<VariableDecl>),
}

/// `#pragma unroll` and the like before a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum UnrollHint {
    /// `#pragma unroll`, `#pragma clang loop unroll(full)`
    Full,
    /// `#pragma unroll(n)`, `#pragma unroll n`
    Count(Box<Expr>),
    /// `#pragma nounroll`, `unroll(disable)`
    Disable,
    /// `unroll(enable)` and loop hints that say nothing of unrolling.
    None,
}

/// Pragmas that change what code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pragma {
    /// `#pragma METAL fp contract(fast|on|off)`, `#pragma clang fp contract(…)`, `STDC FP_CONTRACT`
    Contract(ContractMode),
    /// `#pragma METAL fp math_mode(fast|relaxed|safe)`
    MathMode(MathMode),
    /// `#pragma METAL internals : enable|disable`
    Internals(bool),
}

/// Which products and sums may fuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum ContractMode {
    Off,
    On,
    Fast,
}

/// What floating-point arithmetic may assume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum MathMode {
    Safe,
    Relaxed,
    Fast,
}
