//! Moving over tokens: looking ahead, expecting, trying, failing and recovering.

use mw_diagnostics::registry::syntax as codes;
use mw_diagnostics::{Code, Diagnostic};
use mw_source::Span;

use super::{Failed, MAX_CHAIN, MAX_DEPTH, MAX_ERRORS, Parse, Parser};
use crate::ast::Ident;
use crate::lex::{Token, TokenKind};
use crate::names::{Name, words};

/// A place to come back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    at: usize,
    depth: u32,
    chain: u32,
    greater_ends: bool,
    level: super::scope::Level,
    delayed_body: Option<usize>,
}

impl Parser<'_> {
    pub(super) fn token(&self) -> Token {
        self.tokens[self.at]
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The token `ahead` of the next one; the end token past the end.
    pub(super) fn peek(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn peek_kind(&self, ahead: usize) -> TokenKind {
        self.peek(ahead).kind
    }

    /// The name of the next token if it is an identifier or keyword; the empty name else.
    pub(super) fn word(&self) -> Name {
        let token = self.tokens[self.at];
        if token.kind == TokenKind::Ident { token.name } else { words::EMPTY }
    }

    /// As [`Self::word`], further ahead.
    pub(super) fn peek_word(&self, ahead: usize) -> Name {
        let token = self.peek(ahead);
        if token.kind == TokenKind::Ident { token.name } else { words::EMPTY }
    }

    pub(super) fn is(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    pub(super) fn is_word(&self, word: Name) -> bool {
        self.word() == word
    }

    /// An identifier that is no keyword comes next.
    pub(super) fn is_identifier(&self) -> bool {
        self.peek_is_identifier(0)
    }

    pub(super) fn peek_is_identifier(&self, ahead: usize) -> bool {
        let token = self.peek(ahead);
        token.kind == TokenKind::Ident && !token.name.is_keyword()
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.tokens[self.at];
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        if self.trying > 0 {
            self.fuel = self.fuel.saturating_sub(1);
        }
        token
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let is_next = self.is(kind);
        if is_next {
            self.bump();
        }
        is_next
    }

    pub(super) fn eat_word(&mut self, word: Name) -> bool {
        let is_next = self.is_word(word);
        if is_next {
            self.bump();
        }
        is_next
    }

    /// The span of the token before the next one.
    pub(super) fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// The word before the next token.
    pub(super) fn previous_text(&self) -> &str {
        self.interner.text(self.tokens[self.at.saturating_sub(1)].name)
    }

    /// From `start` to the token before the next one.
    pub(super) fn span_from(&self, start: Span) -> Span {
        start.to(self.previous_span())
    }

    /// The text of a token for a message.
    pub(super) fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Eof => "the end of the file".to_owned(),
            TokenKind::Pragma | TokenKind::PragmaEnd => "a pragma".to_owned(),
            _ => {
                let text = token.kind.spelling();
                let text = if text.is_empty() { self.interner.text(token.name) } else { text };
                if text.chars().count() > 40 {
                    format!("`{}…`", text.chars().take(40).collect::<String>())
                } else {
                    format!("`{text}`")
                }
            }
        }
    }

    /// Reports, unless this is an attempt, and fails.
    pub(super) fn fail<T>(&mut self, diagnostic: impl FnOnce(&Self) -> Diagnostic) -> Parse<T> {
        if self.trying == 0 && self.diagnostics.len() < MAX_ERRORS {
            let token = self.token();
            match token.kind {
                // What the preprocessor left of a wrong macro use: reported already.
                TokenKind::Unknown if token.name == words::EMPTY => {}
                TokenKind::Eof if self.is_cut_off() => {}
                TokenKind::Unknown | TokenKind::UnterminatedChar | TokenKind::UnterminatedString => {
                    self.report_broken_token(token);
                }
                _ => {
                    let diagnostic = self.foreign_word().unwrap_or_else(|| diagnostic(self));
                    self.diagnostics.push(diagnostic);
                }
            }
        }
        Err(Failed)
    }

    /// A word of another language before the place where the grammar fails is what is wrong.
    fn foreign_word(&self) -> Option<Diagnostic> {
        const BEFORE_TYPES: &[&str] =
            &["kernel", "device", "constant", "threadgroup", "thread", "const", "static", "inline", "struct"];
        let before = self.tokens[self.at.checked_sub(1)?];
        if before.kind != TokenKind::Ident
            || before.name.is_keyword()
            || !self.scopes.lookup(before.name).is_unknown()
        {
            return None;
        }
        let text = self.interner.text(before.name);
        let code = &mw_diagnostics::registry::semantics::UNKNOWN_NAME;
        let diagnostic = Diagnostic::new(code, before.span, format!("`{text}` is no word of Metal"));
        if let Some(help) = crate::foreign::meaning(text) {
            return Some(diagnostic.help(help));
        }
        // A misspelt keyword, and behind it what may follow the keyword.
        if self.kind() != TokenKind::Ident || text.len() < 4 {
            return None;
        }
        let meant = crate::sema::closest_name(text, BEFORE_TYPES.iter().copied())?;
        Some(diagnostic.help(format!("did you mean `{meant}`?")).with_fix(before.span, meant))
    }

    /// The text ends early for a reason that was reported: what is missing at its end is no mistake.
    pub(super) fn is_cut_off(&self) -> bool {
        use mw_diagnostics::registry::preprocess as early;
        let cuts = [
            &early::EXPANSION_TOO_LARGE,
            &early::INCLUDE_TOO_DEEP,
            &early::UNTERMINATED_COMMENT,
            &early::UNTERMINATED_LITERAL,
        ];
        self.diagnostics.iter().any(|diagnostic| cuts.contains(&diagnostic.code))
    }

    /// Reports without failing, unless this is an attempt.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.trying == 0 && self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn report_broken_token(&mut self, token: Token) {
        use mw_diagnostics::registry::preprocess as lexical;
        let text = self.interner.text(token.name).to_owned();
        self.diagnostics.push(match token.kind {
            TokenKind::Unknown => {
                let alike = match text.as_str() {
                    "\u{201c}" | "\u{201d}" => Some("\""),
                    "\u{2018}" | "\u{2019}" => Some("'"),
                    "\u{2212}" | "\u{2013}" | "\u{2014}" => Some("-"),
                    "\u{d7}" => Some("*"),
                    "\u{f7}" => Some("/"),
                    "\u{2264}" => Some("<="),
                    "\u{2265}" => Some(">="),
                    "\u{2260}" => Some("!="),
                    "\u{a0}" => Some(" "),
                    _ => None,
                };
                let is_visible =
                    text.chars().all(|c| c.is_alphanumeric() || c.is_ascii_punctuation() || alike.is_some());
                let shown = if is_visible { text.clone() } else { text.escape_default().to_string() };
                let diagnostic = Diagnostic::new(
                    &lexical::UNKNOWN_CHARACTER,
                    token.span,
                    format!("`{shown}` begins no token"),
                );
                match alike {
                    Some(alike) => {
                        diagnostic.help(format!("it looks like `{alike}`")).with_fix(token.span, alike)
                    }
                    None => diagnostic,
                }
            }
            TokenKind::UnterminatedChar => Diagnostic::new(
                &lexical::UNTERMINATED_LITERAL,
                token.span,
                "this character literal has no closing quote",
            )
            .help("write `'` at its end"),
            _ => Diagnostic::new(
                &lexical::UNTERMINATED_LITERAL,
                token.span,
                "this string literal has no closing quote",
            )
            .help("write `\"` at its end"),
        });
    }

    /// Fails because `what` should stand here.
    pub(super) fn expected<T>(&mut self, code: &'static Code, what: &str) -> Parse<T> {
        self.fail(|parser| {
            let token = parser.token();
            let found = parser.describe(token);
            Diagnostic::new(code, token.span, format!("expected {what}, found {found}"))
        })
    }

    /// The next token, which must be of this kind.
    pub(super) fn expect(&mut self, kind: TokenKind, after: &str) -> Parse<Token> {
        if self.is(kind) {
            return Ok(self.bump());
        }
        let text = kind.spelling();
        // What opens stands before what it holds, what ends behind what it ends.
        let end = match kind {
            TokenKind::LeftParen | TokenKind::LeftBrace | TokenKind::Less => self.token().span.before(),
            _ => self.previous_span().after(),
        };
        self.fail(|parser| {
            let found = parser.describe(parser.token());
            Diagnostic::new(
                &codes::EXPECTED_TOKEN,
                parser.token().span,
                format!("expected `{text}` {after}, found {found}"),
            )
            .with_fix(end, text)
        })
    }

    /// The bracket that closes `open`.
    pub(super) fn expect_closing(&mut self, kind: TokenKind, open: Span) -> Parse<Token> {
        if self.is(kind) {
            return Ok(self.bump());
        }
        let text = kind.spelling();
        if self.is(TokenKind::ColonColon) && self.peek(1).name.is_keyword() {
            let word = self.interner.text(self.peek(1).name).to_owned();
            let at = self.peek(1).span;
            return self.fail(|parser| {
                let diagnostic = Diagnostic::new(
                    &codes::EXPECTED_NAME,
                    at,
                    format!("expected a name after `::`, found the keyword `{word}`"),
                );
                match parser.previous_text() {
                    "mem_flags" => diagnostic.help(format!("write `mem_flags::mem_{word}`")),
                    _ => diagnostic,
                }
            });
        }
        self.fail(|parser| {
            let token = parser.token();
            let found = parser.describe(token);
            Diagnostic::new(&codes::UNCLOSED_BRACKET, token.span, format!("expected `{text}`, found {found}"))
                .with_label(open, "to close this")
        })
    }

    /// `;` at the end of a statement or declaration. If it is missing, that is reported where it should
    /// stand, and what follows is read as if it were there.
    pub(super) fn expect_semicolon(&mut self, after: &str) -> Parse<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let token = self.token();
        let begins_next = token.flags.has(crate::lex::TokenFlags::LINE_START)
            || matches!(token.kind, TokenKind::RightBrace | TokenKind::Eof);
        let previous = self.previous_span();
        let result = self.fail(|parser| {
            let found = parser.describe(token);
            // A file's end and a new line are far from where the semicolon belongs.
            let at = if begins_next { previous } else { token.span };
            Diagnostic::new(
                &codes::EXPECTED_TOKEN,
                at,
                if begins_next {
                    format!("expected `;` after {after}")
                } else {
                    format!("expected `;` after {after}, found {found}")
                },
            )
            .label(if begins_next { "`;` is missing after this" } else { "" })
            .with_fix(previous.after(), ";")
        });
        if begins_next && self.trying == 0 { Ok(()) } else { result }
    }

    /// A name that is no keyword.
    pub(super) fn identifier(&mut self, what: &str) -> Parse<Ident> {
        if self.is_identifier() {
            let token = self.bump();
            return Ok(Ident { name: token.name, span: token.span });
        }
        if self.kind() == TokenKind::Ident {
            return self.fail(|parser| {
                let token = parser.token();
                let text = parser.interner.text(token.name);
                Diagnostic::new(
                    &codes::EXPECTED_NAME,
                    token.span,
                    format!("expected {what}, found the keyword `{text}`"),
                )
                .help("choose another name")
            });
        }
        self.expected(&codes::EXPECTED_NAME, what)
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            at: self.at,
            depth: self.depth,
            chain: self.chain,
            greater_ends: self.greater_ends,
            level: self.scopes.level(),
            delayed_body: self.delayed_body,
        }
    }

    pub(super) fn reset(&mut self, mark: Mark) {
        self.at = mark.at;
        self.depth = mark.depth;
        self.chain = mark.chain;
        self.greater_ends = mark.greater_ends;
        self.delayed_body = mark.delayed_body;
        self.scopes.leave(mark.level);
    }

    /// Parses without reporting and comes back; `None` if it fails.
    pub(super) fn attempt<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Option<T> {
        let mark = self.mark();
        self.trying += 1;
        let result = if self.fuel == 0 { Err(Failed) } else { parse(self) };
        self.trying -= 1;
        self.reset(mark);
        result.ok()
    }

    /// Parses without reporting; comes back only if it fails.
    pub(super) fn attempt_and_keep<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Option<T> {
        let mark = self.mark();
        self.trying += 1;
        let result = if self.fuel == 0 { Err(Failed) } else { parse(self) };
        self.trying -= 1;
        if result.is_err() {
            self.reset(mark);
        }
        result.ok()
    }

    /// One level deeper, within bounds.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn too_deep<T>(&mut self) -> Parse<T> {
        // Only the innermost place is of use, and only once.
        let is_reported = self.diagnostics.last().is_some_and(|last| last.code == &codes::TOO_DEEP);
        if is_reported {
            return Err(Failed);
        }
        self.fail(|parser| {
            Diagnostic::new(
                &codes::TOO_DEEP,
                parser.token().span,
                format!("this nests more than {MAX_DEPTH} levels deep"),
            )
            .help("split it into parts with names of their own")
        })
    }

    /// Counts an operator of a chain that is longer than usual.
    pub(super) fn lengthen_chain(&mut self, length: u32) -> Parse<()> {
        if length > 8 {
            self.chain += 1;
            if self.chain > MAX_CHAIN {
                return self.too_deep();
            }
        }
        Ok(())
    }

    /// After a failure: moves to where the next statement, member or declaration begins.
    ///
    /// A `;` on this level is skipped, a `}` that closes the enclosing block is not.
    pub(super) fn recover(&mut self, start: usize) {
        let mut depth = 0_u32;
        let mut parens = 0_u32;
        // Braces that the failed part opened before the failure count too, and the parentheses of a `for`,
        // whose semicolons end nothing.
        let begin = start.min(self.at);
        let is_for = self.tokens[begin].name == words::FOR;
        for token in &self.tokens[begin..self.at] {
            match token.kind {
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace => depth = depth.saturating_sub(1),
                TokenKind::LeftParen if is_for => parens += 1,
                TokenKind::RightParen if is_for => parens = parens.saturating_sub(1),
                _ => {}
            }
        }
        loop {
            match self.kind() {
                TokenKind::Eof => break,
                TokenKind::LeftBrace => {
                    depth += 1;
                    parens = 0;
                }
                TokenKind::RightBrace => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        // `};` ends a class, `})` a macro's or call's argument.
                        while matches!(self.kind(), TokenKind::Semicolon | TokenKind::RightParen) {
                            self.bump();
                        }
                        if !matches!(self.word(), words::CATCH | words::ELSE) {
                            return;
                        }
                        continue;
                    }
                }
                TokenKind::LeftParen => parens += 1,
                TokenKind::RightParen => parens = parens.saturating_sub(1),
                TokenKind::Semicolon if depth == 0 && parens == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Moves past a balanced group that begins here.
    pub(super) fn skip_group(&mut self) {
        let mut depth = 0_u32;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::LeftBrace | TokenKind::LeftParen | TokenKind::LeftBracket => depth += 1,
                TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightBracket => {
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }
}
