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
/// For a token out of a macro body the range lies in the macro's definition, for a token of a macro
/// argument in the call; `expansion` tells which expansion put it there.
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
}

/// One use of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// The macro's name.
    pub name: Box<str>,
    /// The use of the macro, from its name to the closing parenthesis; itself perhaps inside an expansion.
    pub call_site: Span,
    /// The macro's name in its `#define`.
    pub definition: Span,
}
