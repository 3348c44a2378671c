//! Positions, spans, and the expansions that spans refer to.

/// A byte position in the space that all files of a [`SourceMap`](crate::SourceMap) share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BytePos(pub u32);

/// Which macro expansion a span belongs to; [`ExpansionId::ROOT`] for text as the user wrote it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExpansionId(pub u32);

impl ExpansionId {
    /// Text that no macro produced.
    pub const ROOT: Self = Self(0);
}

/// A range of written text.
///
/// For a token out of a macro body the range lies in the macro's definition, and `expansion` tells which
/// use of the macro put it there. A token of a macro argument keeps the span that it has in the call, so
/// that a mistake in an argument is shown where the user wrote the argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: BytePos,
    /// One past the last byte.
    pub end: BytePos,
    /// The expansion that the text came out of.
    pub expansion: ExpansionId,
}

impl Span {
    /// The range `start..end` of text that no macro produced.
    pub fn new(start: BytePos, end: BytePos) -> Self {
        Self { start, end, expansion: ExpansionId::ROOT }
    }

    /// From the start of `self` to the end of `other`.
    ///
    /// Where the two come from different expansions there is no one range: the first is kept.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if self.expansion == other.expansion && self.start <= other.end {
            Self { end: other.end.max(self.end), ..self }
        } else {
            self
        }
    }

    /// The empty span at its start.
    #[must_use]
    pub fn before(self) -> Self {
        Self { end: self.start, ..self }
    }

    /// The empty span at its end.
    #[must_use]
    pub fn after(self) -> Self {
        Self { start: self.end, ..self }
    }
}

/// One use of a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// The use of the macro, from its name to the closing parenthesis; itself perhaps inside an expansion.
    pub call_site: Span,
    /// The macro's name in its `#define`.
    pub definition: Span,
}
