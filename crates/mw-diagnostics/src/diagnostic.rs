//! The diagnostic value and its builder.

use mw_source::Span;

use crate::{Code, Severity};

/// One finding in the user's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its kind.
    pub code: &'static Code,
    /// Usually the code's own.
    pub severity: Severity,
    /// One lower-case line without a full stop, names in backticks.
    pub message: String,
    /// The token that is wrong, and what it *is*.
    pub primary: Label,
    /// Other places that take part.
    pub labels: Vec<Label>,
    /// Facts and the rule, each one line.
    pub notes: Vec<String>,
    /// What to write, each one line.
    pub help: Vec<String>,
    /// The edit that puts it right.
    pub fix: Option<Fix>,
    /// How the compiler came to this place, innermost first: template instantiations.
    pub chain: Vec<ChainStep>,
}

/// A place and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// May be empty: then the place is only underlined.
    pub text: String,
}

/// An edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What is replaced; empty to insert.
    pub span: Span,
    /// By what.
    pub replacement: String,
}

/// One step of the way to the place, such as "in `f<int>`, instantiated here".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainStep {
    /// The place that asked for the instantiation.
    pub span: Span,
    /// Lower-case line, such as "in the instantiation of `sum<float>`".
    pub message: String,
}

impl Diagnostic {
    /// A diagnostic with the code's severity at `span`.
    pub fn new(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity,
            message: message.into(),
            primary: Label { span, text: String::new() },
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            fix: None,
            chain: Vec::new(),
        }
    }

    /// Says what the primary place is.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Points at another place.
    #[must_use]
    pub fn with_label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact or the rule.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to write.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Replaces `span` by `replacement`.
    #[must_use]
    pub fn with_fix(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix = Some(Fix { span, replacement: replacement.into() });
        self
    }

    /// Adds the next outer step of the way to this place.
    #[must_use]
    pub fn via(mut self, span: Span, message: impl Into<String>) -> Self {
        self.chain.push(ChainStep { span, message: message.into() });
        self
    }

    /// Does it stop the compilation?
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The page of its code.
    pub fn url(&self) -> String {
        self.code.url()
    }
}
