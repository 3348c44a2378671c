//! What a token is.

use mw_source::Span;

use crate::names::Name;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say all")]
#[repr(u8)]
pub enum TokenKind {
    /// The end of the text.
    Eof,
    /// The end of a line, which the lexer gives inside directives only.
    Newline,
    /// An identifier or keyword.
    Ident,
    /// A number as written, its suffix included.
    Number,
    /// `'c'`
    Char,
    /// `"text"`, `R"(text)"`
    String,
    /// A character literal whose quote is missing.
    UnterminatedChar,
    /// A string literal whose quote is missing.
    UnterminatedString,
    /// A character that begins no token.
    Unknown,
    /// The start of a pragma that means something to the parser; its words follow.
    Pragma,
    /// The end of such a pragma.
    PragmaEnd,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Semicolon,
    Comma,
    Dot,
    Ellipsis,
    DotStar,
    Arrow,
    ArrowStar,
    Colon,
    ColonColon,
    Question,
    Hash,
    HashHash,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Caret,
    Ampersand,
    Pipe,
    Tilde,
    Exclamation,
    Equal,
    Less,
    Greater,
    PlusEqual,
    MinusEqual,
    StarEqual,
    SlashEqual,
    PercentEqual,
    CaretEqual,
    AmpersandEqual,
    PipeEqual,
    LessLess,
    LessLessEqual,
    EqualEqual,
    ExclamationEqual,
    LessEqual,
    GreaterEqual,
    AmpersandAmpersand,
    PipePipe,
    PlusPlus,
    MinusMinus,
}

/// What stands before a token, and what the preprocessor knows of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TokenFlags(pub u8);

impl TokenFlags {
    /// White space or a comment stands before it.
    pub const LEADING_SPACE: Self = Self(1);
    /// It is the first of its line.
    pub const LINE_START: Self = Self(2);
    /// An identifier that was met inside its own macro: never expanded again.
    pub const NO_EXPAND: Self = Self(4);

    /// Is a flag set?
    pub fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    /// With a flag set.
    #[must_use]
    pub fn with(self, flag: Self) -> Self {
        Self(self.0 | flag.0)
    }

    /// With a flag cleared.
    #[must_use]
    pub fn without(self, flag: Self) -> Self {
        Self(self.0 & !flag.0)
    }
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// What stands before it.
    pub flags: TokenFlags,
    /// The identifier, or the spelling of a literal or unknown character; empty for punctuation.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

impl TokenKind {
    /// How punctuation is written; nothing for the other kinds.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Eof
            | Self::Newline
            | Self::Ident
            | Self::Number
            | Self::Char
            | Self::String
            | Self::UnterminatedChar
            | Self::UnterminatedString
            | Self::Unknown
            | Self::Pragma
            | Self::PragmaEnd => "",
            Self::LeftParen => "(",
            Self::RightParen => ")",
            Self::LeftBracket => "[",
            Self::RightBracket => "]",
            Self::LeftBrace => "{",
            Self::RightBrace => "}",
            Self::Semicolon => ";",
            Self::Comma => ",",
            Self::Dot => ".",
            Self::Ellipsis => "...",
            Self::DotStar => ".*",
            Self::Arrow => "->",
            Self::ArrowStar => "->*",
            Self::Colon => ":",
            Self::ColonColon => "::",
            Self::Question => "?",
            Self::Hash => "#",
            Self::HashHash => "##",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Star => "*",
            Self::Slash => "/",
            Self::Percent => "%",
            Self::Caret => "^",
            Self::Ampersand => "&",
            Self::Pipe => "|",
            Self::Tilde => "~",
            Self::Exclamation => "!",
            Self::Equal => "=",
            Self::Less => "<",
            Self::Greater => ">",
            Self::PlusEqual => "+=",
            Self::MinusEqual => "-=",
            Self::StarEqual => "*=",
            Self::SlashEqual => "/=",
            Self::PercentEqual => "%=",
            Self::CaretEqual => "^=",
            Self::AmpersandEqual => "&=",
            Self::PipeEqual => "|=",
            Self::LessLess => "<<",
            Self::LessLessEqual => "<<=",
            Self::EqualEqual => "==",
            Self::ExclamationEqual => "!=",
            Self::LessEqual => "<=",
            Self::GreaterEqual => ">=",
            Self::AmpersandAmpersand => "&&",
            Self::PipePipe => "||",
            Self::PlusPlus => "++",
            Self::MinusMinus => "--",
        }
    }
}
