//! Tokens of LLVM assembly.

use std::borrow::Cow;

/// Name behind a sigil: `%x`, `%"x y"`, `%7`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Name<'t> {
    Number(u32),
    Text(Cow<'t, str>),
}

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'t> {
    Eof,
    /// `= , ( ) [ ] { } < > * | :`
    Punct(u8),
    /// `...`
    Ellipsis,
    /// Keyword, type, mnemonic.
    Word(&'t str),
    /// `@name`
    Global(Name<'t>),
    /// `%name`
    Local(Name<'t>),
    /// `name:`, `7:`, `"a name":`
    Label(Name<'t>),
    /// `#7`
    AttributeGroup(u32),
    /// `!7`
    Node(u32),
    /// `!name`
    MetadataName(Cow<'t, str>),
    /// `!"text"`
    MetadataString(Cow<'t, str>),
    /// `!` before `{`
    Bang,
    /// `"text"`
    Str(Cow<'t, str>),
    /// `c"bytes"`
    Bytes(Vec<u8>),
    /// Decimal integer: whether it is negative, and its magnitude.
    Int(bool, u64),
    /// Decimal number with a point.
    Decimal(f64),
    /// `0x…` and its letter: none, `H` for half, `R` for bfloat.
    Hex(Option<u8>, u64),
}

/// Cuts text into tokens.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    position: usize,
}

/// What is wrong with the characters at an offset.
pub(super) type LexError = (usize, String);

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'$' | b'.' | b'_')
}

fn is_word(byte: u8) -> bool {
    is_word_start(byte) || byte.is_ascii_digit()
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, position: 0 }
    }

    /// Continues at `position`, which was the start of a token.
    pub(super) fn seek(&mut self, position: usize) {
        self.position = position;
    }

    /// The next token with the offset of its first character.
    pub(super) fn next(&mut self) -> Result<(usize, Token<'t>), LexError> {
        self.skip_blank();
        let start = self.position;
        let bytes = self.text.as_bytes();
        let Some(byte) = bytes.get(start).copied() else { return Ok((start, Token::Eof)) };
        let token = match byte {
            b'.' if self.text[start..].starts_with("...") => {
                self.position += 3;
                Token::Ellipsis
            }
            b'=' | b',' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'*' | b'|' | b':' => {
                self.position += 1;
                Token::Punct(byte)
            }
            b'@' => Token::Global(self.name()?),
            b'%' => Token::Local(self.name()?),
            b'#' => {
                self.position += 1;
                if self.text[self.position..].starts_with("dbg_") {
                    return Err((start, "debug records are not supported".into()));
                }
                Token::AttributeGroup(self.small_number()?)
            }
            b'!' => self.metadata()?,
            b'"' => {
                let text = self.quoted()?;
                if self.at(b':') {
                    self.position += 1;
                    Token::Label(Name::Text(text))
                } else {
                    Token::Str(text)
                }
            }
            b'0'..=b'9' => self.number()?,
            b'-' if bytes.get(start + 1).is_some_and(u8::is_ascii_digit) => self.number()?,
            _ if is_word_start(byte) => self.word()?,
            _ => {
                let found = self.text[start..].chars().next().unwrap_or('?');
                return Err((start, format!("unexpected character {found:?}")));
            }
        };
        Ok((start, token))
    }

    fn at(&self, byte: u8) -> bool {
        self.text.as_bytes().get(self.position) == Some(&byte)
    }

    fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.position) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.position += 1,
                b';' => {
                    let rest = &bytes[self.position..];
                    self.position += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    /// The longest run of characters from here that `accept` holds for.
    fn run(&mut self, accept: impl Fn(u8) -> bool) -> &'t str {
        let rest = &self.text.as_bytes()[self.position..];
        let length = rest.iter().position(|byte| !accept(*byte)).unwrap_or(rest.len());
        let run = &self.text[self.position..self.position + length];
        self.position += length;
        run
    }

    fn word(&mut self) -> Result<Token<'t>, LexError> {
        let word = self.run(is_word);
        if word == "c" && self.at(b'"') {
            return Ok(Token::Bytes(self.quoted_bytes()?));
        }
        if self.at(b':') {
            self.position += 1;
            return Ok(Token::Label(Name::Text(Cow::Borrowed(word))));
        }
        Ok(Token::Word(word))
    }

    /// The name behind a one-character sigil.
    fn name(&mut self) -> Result<Name<'t>, LexError> {
        self.position += 1;
        let start = self.position;
        match self.text.as_bytes().get(start) {
            Some(b'"') => Ok(Name::Text(self.quoted()?)),
            Some(byte) if byte.is_ascii_digit() => Ok(Name::Number(self.small_number()?)),
            Some(byte) if is_word_start(*byte) => Ok(Name::Text(Cow::Borrowed(self.run(is_word)))),
            _ => Err((start, "expected a name or a number".into())),
        }
    }

    fn small_number(&mut self) -> Result<u32, LexError> {
        let start = self.position;
        let digits = self.run(|byte| byte.is_ascii_digit());
        digits.parse().map_err(|_| (start, "expected a number below 2^32".into()))
    }

    fn metadata(&mut self) -> Result<Token<'t>, LexError> {
        self.position += 1;
        match self.text.as_bytes().get(self.position) {
            Some(b'"') => Ok(Token::MetadataString(self.quoted()?)),
            Some(byte) if byte.is_ascii_digit() => Ok(Token::Node(self.small_number()?)),
            Some(byte) if is_word_start(*byte) || *byte == b'\\' => {
                let start = self.position;
                let raw = self.run(|byte| is_word(byte) || byte == b'\\');
                let name = unescape(raw).map_err(|offset| (start + offset, BAD_ESCAPE.into()))?;
                Ok(Token::MetadataName(name))
            }
            _ => Ok(Token::Bang),
        }
    }

    /// A string in quotes, which must be UTF-8 when its escapes are resolved.
    fn quoted(&mut self) -> Result<Cow<'t, str>, LexError> {
        let start = self.position;
        let raw = self.quoted_raw()?;
        unescape(raw).map_err(|offset| (start + 1 + offset, BAD_ESCAPE.into()))
    }

    fn quoted_bytes(&mut self) -> Result<Vec<u8>, LexError> {
        let raw = self.quoted_raw()?;
        Ok(unescape_bytes(raw.as_bytes()))
    }

    fn quoted_raw(&mut self) -> Result<&'t str, LexError> {
        let start = self.position;
        self.position += 1;
        let raw = self.run(|byte| byte != b'"');
        if !self.at(b'"') {
            return Err((start, "this string does not end".into()));
        }
        self.position += 1;
        Ok(raw)
    }

    fn number(&mut self) -> Result<Token<'t>, LexError> {
        let start = self.position;
        let rest = &self.text[start..];
        if let Some(digits) = rest.strip_prefix("0x") {
            let letter =
                digits.bytes().next().filter(|byte| matches!(byte, b'H' | b'R' | b'K' | b'L' | b'M'));
            if letter.is_some_and(|letter| !matches!(letter, b'H' | b'R')) {
                return Err((start, "80-bit and 128-bit floating-point numbers do not exist in AIR".into()));
            }
            self.position += 2 + usize::from(letter.is_some());
            let digits = self.run(|byte| byte.is_ascii_hexdigit());
            let bits = u64::from_str_radix(digits, 16);
            return match bits {
                Ok(bits) => Ok(Token::Hex(letter, bits)),
                Err(_) => Err((start, "expected 1 to 16 hexadecimal digits behind `0x`".into())),
            };
        }
        let negative = rest.starts_with('-');
        self.position += usize::from(negative);
        let digits = self.run(|byte| byte.is_ascii_digit());
        if self.at(b'.') {
            self.position += 1;
            self.run(|byte| byte.is_ascii_digit());
            if matches!(self.text.as_bytes().get(self.position), Some(b'e' | b'E')) {
                self.position += 1;
                if matches!(self.text.as_bytes().get(self.position), Some(b'+' | b'-')) {
                    self.position += 1;
                }
                self.run(|byte| byte.is_ascii_digit());
            }
            let number = self.text[start..self.position].parse();
            return number.map(Token::Decimal).map_err(|_| (start, "malformed number".into()));
        }
        let Ok(magnitude) = digits.parse() else {
            return Err((start, "integers have at most 64 bits".into()));
        };
        if self.at(b':') && !negative {
            let Ok(number) = u32::try_from(magnitude) else {
                return Err((start, "expected a number below 2^32".into()));
            };
            self.position += 1;
            return Ok(Token::Label(Name::Number(number)));
        }
        Ok(Token::Int(negative, magnitude))
    }
}

const BAD_ESCAPE: &str = "the escapes here do not make UTF-8";

/// Resolves `\XX`; gives the offset of what is not UTF-8.
fn unescape(raw: &str) -> Result<Cow<'_, str>, usize> {
    if !raw.contains('\\') {
        return Ok(Cow::Borrowed(raw));
    }
    match String::from_utf8(unescape_bytes(raw.as_bytes())) {
        Ok(text) => Ok(Cow::Owned(text)),
        Err(error) => Err(error.utf8_error().valid_up_to().min(raw.len())),
    }
}

fn unescape_bytes(raw: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut index = 0;
    while let Some(byte) = raw.get(index) {
        let digit = |offset: usize| raw.get(index + offset).and_then(|byte| (*byte as char).to_digit(16));
        match (byte, digit(1), digit(2)) {
            (b'\\', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                index += 3;
            }
            (b'\\', ..) if raw.get(index + 1) == Some(&b'\\') => {
                bytes.push(b'\\');
                index += 2;
            }
            _ => {
                bytes.push(*byte);
                index += 1;
            }
        }
    }
    bytes
}
