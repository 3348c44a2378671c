//! The hand-written lexer.

use mw_source::{BytePos, ExpansionId, Span};

use super::{Token, TokenFlags, TokenKind};
use crate::names::{Interner, Name, words};

/// Cuts one text into tokens.
#[derive(Clone, Copy, Debug)]
pub struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// Position of the text's first byte.
    base: u32,
    line_start: bool,
    /// Where an unterminated comment began.
    pub unterminated_comment: Option<Span>,
}

impl<'t> Lexer<'t> {
    /// A lexer at the start of `text`, whose first byte is at `base`.
    pub fn new(text: &'t str, base: BytePos) -> Self {
        // A byte order mark is no token.
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, bytes: text.as_bytes(), at, base: base.0, line_start: true, unterminated_comment: None }
    }

    /// The lexer at `offset` of the same text, `line_start` as it was there.
    pub fn resume(text: &'t str, base: BytePos, offset: usize, line_start: bool) -> Self {
        Self { at: offset.min(text.len()), line_start, ..Self::new(text, base) }
    }

    /// The offset of the next byte and whether a line begins there.
    pub fn state(&self) -> (usize, bool) {
        (self.at, self.line_start)
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Length of a line splice at `at`: a backslash, perhaps blanks, and the end of the line.
    fn splice(&self, at: usize) -> Option<usize> {
        if self.bytes.get(at) != Some(&b'\\') {
            return None;
        }
        let mut end = at + 1;
        while matches!(self.bytes.get(end), Some(b' ' | b'\t' | b'\r')) {
            end += 1;
        }
        (self.bytes.get(end) == Some(&b'\n')).then(|| end + 1 - at)
    }

    fn span(&self, start: usize) -> Span {
        Span {
            start: BytePos(self.base + start as u32),
            end: BytePos(self.base + self.at as u32),
            expansion: ExpansionId::ROOT,
        }
    }

    /// Skips blanks and comments; `true` if there were any. In a directive it stops before the line's end.
    fn skip_blank(&mut self, in_directive: bool) -> bool {
        let start = self.at;
        loop {
            match self.byte(0) {
                b'\n' if self.at < self.bytes.len() => {
                    if in_directive {
                        return self.at > start;
                    }
                    self.line_start = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' => match self.splice(self.at) {
                    Some(length) => self.at += length,
                    None => break,
                },
                b'/' if self.byte(1) == b'/' => {
                    while self.at < self.bytes.len() {
                        if self.byte(0) == b'\n' {
                            break;
                        }
                        self.at += self.splice(self.at).unwrap_or(1);
                    }
                }
                b'/' if self.byte(1) == b'*' => {
                    let opening = self.at;
                    self.at += 2;
                    loop {
                        if self.at >= self.bytes.len() {
                            let mut span = self.span(opening);
                            span.end = BytePos(span.start.0 + 2);
                            self.unterminated_comment = Some(span);
                            break;
                        }
                        match (self.byte(0), self.byte(1)) {
                            (b'*', b'/') => {
                                self.at += 2;
                                break;
                            }
                            _ => self.at += 1,
                        }
                    }
                }
                _ => break,
            }
        }
        self.at > start
    }

    /// The next token; `Newline` at the end of the line if `in_directive`.
    pub fn next(&mut self, interner: &mut Interner, in_directive: bool) -> Token {
        self.lex(Some(interner), in_directive)
    }

    /// As [`Self::next`], without interning: tokens have no names. For text that is skipped.
    pub fn next_skipped(&mut self, in_directive: bool) -> Token {
        self.lex(None, in_directive)
    }

    fn lex(&mut self, interner: Option<&mut Interner>, in_directive: bool) -> Token {
        let mut flags = TokenFlags::default();
        if self.skip_blank(in_directive) {
            flags = flags.with(TokenFlags::LEADING_SPACE);
        }
        if self.line_start {
            flags = flags.with(TokenFlags::LINE_START);
        }
        let start = self.at;
        if start >= self.bytes.len() {
            return Token { kind: TokenKind::Eof, flags, name: words::EMPTY, span: self.span(start) };
        }
        if in_directive && self.byte(0) == b'\n' {
            self.at += 1;
            self.line_start = true;
            return Token { kind: TokenKind::Newline, flags, name: words::EMPTY, span: self.span(start) };
        }
        self.line_start = false;
        let mut spliced = false;
        let kind = self.scan(&mut spliced);
        let span = self.span(start);
        let has_spelling = matches!(
            kind,
            TokenKind::Ident
                | TokenKind::Number
                | TokenKind::Char
                | TokenKind::String
                | TokenKind::UnterminatedChar
                | TokenKind::UnterminatedString
                | TokenKind::Unknown
        );
        let mut token = Token { kind, flags, name: words::EMPTY, span };
        if has_spelling && let Some(interner) = interner {
            let written = &self.text[start..self.at];
            token.name = if spliced && !written.contains("R\"") {
                interner.intern(&remove_splices(written))
            } else {
                interner.intern(written)
            };
            if kind == TokenKind::Ident
                && let Some(kind) = operator_word(token.name)
            {
                token.kind = kind;
                token.name = words::EMPTY;
            }
        }
        token
    }

    /// Moves past one token that begins here.
    fn scan(&mut self, spliced: &mut bool) -> TokenKind {
        let first = self.byte(0);
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.scan_word(spliced),
            b'0'..=b'9' => self.scan_number(spliced),
            b'.' if self.byte(1).is_ascii_digit() => self.scan_number(spliced),
            b'"' => self.scan_quoted(b'"', spliced),
            b'\'' => self.scan_quoted(b'\'', spliced),
            0x80.. => {
                let character = self.text[self.at..].chars().next().unwrap_or(' ');
                if character.is_alphabetic() {
                    self.scan_word(spliced)
                } else {
                    self.at += character.len_utf8();
                    TokenKind::Unknown
                }
            }
            _ => self.scan_punctuation(),
        }
    }

    fn scan_word(&mut self, spliced: &mut bool) -> TokenKind {
        let start = self.at;
        loop {
            while matches!(self.byte(0), b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'0'..=b'9') {
                self.at += 1;
            }
            match self.byte(0) {
                b'\\' => match self.splice(self.at) {
                    Some(length) => {
                        *spliced = true;
                        self.at += length;
                    }
                    None => break,
                },
                0x80.. => match self.text[self.at..].chars().next() {
                    Some(character) if character.is_alphanumeric() => self.at += character.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        // A prefix of a literal: `u8"text"`, `R"(text)"`, `L'c'`.
        let quote = self.byte(0);
        if matches!(quote, b'"' | b'\'') && self.at - start <= 3 {
            match &self.text[start..self.at] {
                "R" | "LR" | "uR" | "UR" | "u8R" if quote == b'"' => return self.scan_raw_string(),
                "L" | "u" | "U" | "u8" => return self.scan_quoted(quote, spliced),
                _ => {}
            }
        }
        TokenKind::Ident
    }

    fn scan_number(&mut self, spliced: &mut bool) -> TokenKind {
        let mut previous = 0;
        loop {
            let byte = self.byte(0);
            match byte {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => self.at += 1,
                b'+' | b'-' if matches!(previous, b'e' | b'E' | b'p' | b'P') => {
                    // `0xe+1` is one preprocessing number too, and an error; no one writes it.
                    self.at += 1;
                }
                b'\'' if self.byte(1).is_ascii_alphanumeric() => self.at += 1,
                b'\\' => match self.splice(self.at) {
                    Some(length) => {
                        *spliced = true;
                        self.at += length;
                        continue;
                    }
                    None => break,
                },
                _ => break,
            }
            previous = byte;
        }
        TokenKind::Number
    }

    fn scan_quoted(&mut self, quote: u8, spliced: &mut bool) -> TokenKind {
        self.at += 1;
        loop {
            if self.at >= self.bytes.len() || self.byte(0) == b'\n' {
                return if quote == b'"' {
                    TokenKind::UnterminatedString
                } else {
                    TokenKind::UnterminatedChar
                };
            }
            match self.byte(0) {
                b'\\' => {
                    if let Some(length) = self.splice(self.at) {
                        *spliced = true;
                        self.at += length;
                    } else {
                        self.at += 1;
                        // The escaped character, whatever its length.
                        if self.at < self.bytes.len() && self.byte(0) != b'\n' {
                            self.at += 1;
                            while self.at < self.bytes.len() && !self.text.is_char_boundary(self.at) {
                                self.at += 1;
                            }
                        }
                    }
                }
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return if quote == b'"' { TokenKind::String } else { TokenKind::Char };
                    }
                }
            }
        }
    }

    fn scan_raw_string(&mut self) -> TokenKind {
        let open = self.at + 1;
        let Some(length) = self.bytes[open..].iter().take(17).position(|byte| *byte == b'(') else {
            self.at = open;
            return TokenKind::UnterminatedString;
        };
        let delimiter = &self.bytes[open..open + length];
        let body = open + length + 1;
        let mut at = body;
        while at < self.bytes.len() {
            if self.bytes[at] == b')'
                && self.bytes[at + 1..].starts_with(delimiter)
                && self.bytes.get(at + 1 + length) == Some(&b'"')
            {
                self.at = at + length + 2;
                return TokenKind::String;
            }
            at += 1;
        }
        self.at = self.bytes.len();
        TokenKind::UnterminatedString
    }

    fn scan_punctuation(&mut self) -> TokenKind {
        use TokenKind as K;
        let (kind, length) = match (self.byte(0), self.byte(1), self.byte(2)) {
            (b'(', ..) => (K::LeftParen, 1),
            (b')', ..) => (K::RightParen, 1),
            (b'[', ..) => (K::LeftBracket, 1),
            (b']', ..) => (K::RightBracket, 1),
            (b'{', ..) => (K::LeftBrace, 1),
            (b'}', ..) => (K::RightBrace, 1),
            (b';', ..) => (K::Semicolon, 1),
            (b',', ..) => (K::Comma, 1),
            (b'?', ..) => (K::Question, 1),
            (b'~', ..) => (K::Tilde, 1),
            (b'.', b'.', b'.') => (K::Ellipsis, 3),
            (b'.', b'*', _) => (K::DotStar, 2),
            (b'.', ..) => (K::Dot, 1),
            (b':', b':', _) => (K::ColonColon, 2),
            (b':', b'>', _) => (K::RightBracket, 2),
            (b':', ..) => (K::Colon, 1),
            (b'#', b'#', _) => (K::HashHash, 2),
            (b'#', ..) => (K::Hash, 1),
            (b'+', b'+', _) => (K::PlusPlus, 2),
            (b'+', b'=', _) => (K::PlusEqual, 2),
            (b'+', ..) => (K::Plus, 1),
            (b'-', b'-', _) => (K::MinusMinus, 2),
            (b'-', b'=', _) => (K::MinusEqual, 2),
            (b'-', b'>', b'*') => (K::ArrowStar, 3),
            (b'-', b'>', _) => (K::Arrow, 2),
            (b'-', ..) => (K::Minus, 1),
            (b'*', b'=', _) => (K::StarEqual, 2),
            (b'*', ..) => (K::Star, 1),
            (b'/', b'=', _) => (K::SlashEqual, 2),
            (b'/', ..) => (K::Slash, 1),
            (b'%', b'=', _) => (K::PercentEqual, 2),
            (b'%', b'>', _) => (K::RightBrace, 2),
            (b'%', b':', b'%') if self.byte(3) == b':' => (K::HashHash, 4),
            (b'%', b':', _) => (K::Hash, 2),
            (b'%', ..) => (K::Percent, 1),
            (b'^', b'=', _) => (K::CaretEqual, 2),
            (b'^', ..) => (K::Caret, 1),
            (b'&', b'&', _) => (K::AmpersandAmpersand, 2),
            (b'&', b'=', _) => (K::AmpersandEqual, 2),
            (b'&', ..) => (K::Ampersand, 1),
            (b'|', b'|', _) => (K::PipePipe, 2),
            (b'|', b'=', _) => (K::PipeEqual, 2),
            (b'|', ..) => (K::Pipe, 1),
            (b'!', b'=', _) => (K::ExclamationEqual, 2),
            (b'!', ..) => (K::Exclamation, 1),
            (b'=', b'=', _) => (K::EqualEqual, 2),
            (b'=', ..) => (K::Equal, 1),
            (b'<', b'<', b'=') => (K::LessLessEqual, 3),
            (b'<', b'<', _) => (K::LessLess, 2),
            (b'<', b'=', _) => (K::LessEqual, 2),
            // `<::a` is `<` and `::a`, unless it is `<:::` or `<::>`.
            (b'<', b':', b':') if !matches!(self.byte(3), b':' | b'>') => (K::Less, 1),
            (b'<', b':', _) => (K::LeftBracket, 2),
            (b'<', b'%', _) => (K::LeftBrace, 2),
            (b'<', ..) => (K::Less, 1),
            (b'>', b'=', _) => (K::GreaterEqual, 2),
            (b'>', ..) => (K::Greater, 1),
            _ => (K::Unknown, 1),
        };
        self.at += length;
        kind
    }
}

/// The text without its line splices.
fn remove_splices(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let after = rest[at + 1..].trim_start_matches([' ', '\t', '\r']);
        clean.push_str(&rest[..at]);
        if let Some(after) = after.strip_prefix('\n') {
            rest = after;
        } else {
            clean.push('\\');
            rest = &rest[at + 1..];
        }
    }
    clean.push_str(rest);
    clean
}

/// The operator that a word such as `and` stands for.
fn operator_word(name: Name) -> Option<TokenKind> {
    if name < words::AND || name > words::XOR_EQ {
        return None;
    }
    Some(match name {
        words::AND => TokenKind::AmpersandAmpersand,
        words::AND_EQ => TokenKind::AmpersandEqual,
        words::BITAND => TokenKind::Ampersand,
        words::BITOR => TokenKind::Pipe,
        words::COMPL => TokenKind::Tilde,
        words::NOT => TokenKind::Exclamation,
        words::NOT_EQ => TokenKind::ExclamationEqual,
        words::OR => TokenKind::PipePipe,
        words::OR_EQ => TokenKind::PipeEqual,
        words::XOR => TokenKind::Caret,
        _ => TokenKind::CaretEqual,
    })
}

#[cfg(test)]
mod tests {
    use mw_source::BytePos;

    use super::Lexer;
    use crate::lex::{TokenFlags, TokenKind};
    use crate::names::Interner;

    fn lex(text: &str) -> Vec<(TokenKind, String)> {
        let mut interner = Interner::default();
        let mut lexer = Lexer::new(text, BytePos(0));
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next(&mut interner, false);
            if token.kind == TokenKind::Eof {
                return tokens;
            }
            tokens.push((token.kind, format!("{}{}", token.kind.spelling(), interner.text(token.name))));
        }
    }

    fn spellings(text: &str) -> Vec<String> {
        lex(text).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn words_numbers_and_punctuation_are_cut_apart() {
        let tokens = spellings("a<b<c>>d x->y 1.5e+3f+0x1'000u ...a.*b <::a>=");
        let expected = "a < b < c > > d x -> y 1.5e+3f + 0x1'000u ... a .* b < :: a >=";
        assert_eq!(tokens.join(" "), expected);
    }

    #[test]
    fn splices_vanish_inside_tokens() {
        assert_eq!(spellings("in\\\nt 1\\\n2 \"a\\\nb\" /\\\n/ x"), ["int", "12", "\"ab\"", "/", "/", "x"]);
        assert_eq!(spellings("a // b \\\n c\nd"), ["a", "d"]);
    }

    #[test]
    fn comments_are_white_space() {
        let mut interner = Interner::default();
        let mut lexer = Lexer::new("a/* \n */b\nc", BytePos(0));
        let flags: Vec<TokenFlags> = (0..3).map(|_| lexer.next(&mut interner, false).flags).collect();
        assert!(flags[1].has(TokenFlags::LEADING_SPACE) && !flags[1].has(TokenFlags::LINE_START));
        assert!(flags[2].has(TokenFlags::LINE_START));
        let mut lexer = Lexer::new("a /* b", BytePos(0));
        lexer.next(&mut interner, false);
        assert_eq!(lexer.next(&mut interner, false).kind, TokenKind::Eof);
        assert_eq!(lexer.unterminated_comment.map(|span| span.start), Some(BytePos(2)));
    }

    #[test]
    fn literals_keep_their_spelling() {
        assert_eq!(
            lex("u8\"a\\\"b\" R\"x(\\n)\")x\" 'c' '\\'' L'd'"),
            [
                (TokenKind::String, "u8\"a\\\"b\"".to_owned()),
                (TokenKind::String, "R\"x(\\n)\")x\"".to_owned()),
                (TokenKind::Char, "'c'".to_owned()),
                (TokenKind::Char, "'\\''".to_owned()),
                (TokenKind::Char, "L'd'".to_owned()),
            ]
        );
    }

    #[test]
    fn broken_text_still_gives_tokens() {
        let kinds: Vec<TokenKind> =
            lex("\"abc\n'\n@ \u{20ac} \0").into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(
            kinds,
            [
                TokenKind::UnterminatedString,
                TokenKind::UnterminatedChar,
                TokenKind::Unknown,
                TokenKind::Unknown,
                TokenKind::Unknown
            ]
        );
        assert_eq!(lex("R\"(").last().map(|token| token.0), Some(TokenKind::UnterminatedString));
    }

    #[test]
    fn words_for_operators_are_operators() {
        assert_eq!(spellings("a and not b"), ["a", "&&", "!", "b"]);
    }
}
