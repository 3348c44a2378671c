//! What lowering cannot do, and where.

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::lowering as codes;
use mw_source::Span;

/// A correct program that cannot be lowered, or a limit that it exceeds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct LowerError {
    /// The place in the source.
    pub span: Span,
    /// What is wrong.
    pub kind: LowerErrorKind,
}

/// The ways in which lowering fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerErrorKind {
    /// Correct Metal that this compiler does not lower.
    #[error("{0} is not supported here yet")]
    Unsupported(String),
    /// Expressions or types nest too deep.
    #[error("this nests more than {limit} levels deep: split it into several statements or types")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// An object larger than an address can reach.
    #[error("this object takes {bytes} bytes, more than the {limit} that one object may have")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// No kernel of this name.
    #[error("the program has no kernel `{0}`")]
    NoSuchKernel(String),
    /// The front-end handed over something that its own rules forbid.
    #[error("internal error in lowering, please report it: {0}")]
    Malformed(String),
}

impl LowerError {
    /// Something that is correct Metal, but not lowered: `what` is a noun phrase.
    pub fn unsupported(span: Span, what: impl Into<String>) -> Self {
        Self { span, kind: LowerErrorKind::Unsupported(what.into()) }
    }

    /// HIR that breaks HIR's rules: our own mistake, reported instead of a panic.
    pub fn malformed(span: Span, what: impl Into<String>) -> Self {
        Self { span, kind: LowerErrorKind::Malformed(what.into()) }
    }

    /// The error as it is shown to the user.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let code = match &self.kind {
            LowerErrorKind::Unsupported(_) | LowerErrorKind::Malformed(_) => &codes::UNSUPPORTED,
            LowerErrorKind::TooDeep { .. } => &codes::NESTED_TOO_DEEP,
            LowerErrorKind::TooLarge { .. } => &codes::OBJECT_TOO_LARGE,
            LowerErrorKind::NoSuchKernel(_) => &codes::NO_SUCH_KERNEL,
        };
        let diagnostic = Diagnostic::new(code, self.span, self.to_string());
        match self.kind {
            LowerErrorKind::NoSuchKernel(_) => diagnostic.help(
                "name a kernel of the source; templates are kernels where they are instantiated, by their `host_name`",
            ),
            _ => diagnostic,
        }
    }
}
