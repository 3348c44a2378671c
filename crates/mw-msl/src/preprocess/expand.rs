//! Macro expansion.

use std::rc::Rc;

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::preprocess as codes;
use mw_source::{BytePos, Expansion, ExpansionId, Span};

use super::macros::{Macro, NO_PARAMETER};
use super::{Preprocessor, Stream, macros};
use crate::lex::{Lexer, Token, TokenFlags, TokenKind};
use crate::names::{Name, words};

/// Bound on macro arguments inside macro arguments.
const ARGUMENT_DEPTH: u32 = 200;

/// The arguments of a macro use.
struct Arguments {
    raw: Vec<Vec<Token>>,
    expanded: Vec<Option<Vec<Token>>>,
}

impl Preprocessor<'_> {
    /// Reads, expands and puts out tokens until the end of the file or stream.
    pub(super) fn run(&mut self, out: &mut Vec<Token>) {
        loop {
            let mut token = self.next_raw();
            match token.kind {
                TokenKind::Eof => return,
                TokenKind::Ident => {
                    if self.in_condition && token.name == words::DEFINED {
                        out.push(token);
                        self.copy_operand(out);
                        continue;
                    }
                    if self.expand(&mut token, out) {
                        continue;
                    }
                }
                _ => {}
            }
            if !self.spend(1, token.span) {
                return;
            }
            out.push(token);
        }
    }

    /// Copies the operand of `defined` as it is.
    fn copy_operand(&mut self, out: &mut Vec<Token>) {
        let token = self.next_raw();
        if token.kind == TokenKind::Eof {
            return;
        }
        out.push(token);
        if token.kind == TokenKind::LeftParen {
            let token = self.next_raw();
            if token.kind != TokenKind::Eof {
                out.push(token);
            }
        }
    }

    /// Expands tokens on their own, as a macro argument or the operand of a directive.
    pub(super) fn expand_list(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        if self.depth >= ARGUMENT_DEPTH {
            let span = tokens.first().map_or(Span::default(), |token| token.span);
            if !self.stopped {
                self.stopped = true;
                self.report(
                    &codes::EXPANSION_TOO_LARGE,
                    span,
                    format!("macro arguments nest more than {ARGUMENT_DEPTH} levels deep"),
                );
            }
            return tokens;
        }
        if tokens.iter().all(|token| token.kind != TokenKind::Ident) {
            return tokens;
        }
        let mut out = Vec::with_capacity(tokens.len());
        let collecting = std::mem::replace(&mut self.collecting, false);
        self.depth += 1;
        self.streams.push(Stream { tokens, at: 0, macro_index: None, is_barrier: true });
        let level = self.streams.len();
        self.run(&mut out);
        // When the budget runs out, streams of unfinished expansions are left.
        while self.streams.len() >= level {
            if let Some(stream) = self.streams.pop()
                && let Some(index) = stream.macro_index
            {
                self.macros.set_active(index, false);
            }
        }
        self.depth -= 1;
        self.collecting = collecting;
        out
    }

    /// Expands one identifier if it is a macro: its tokens go to a stream, or to `out` if made here.
    fn expand(&mut self, token: &mut Token, out: &mut Vec<Token>) -> bool {
        if token.name == words::PRAGMA_OPERATOR {
            return self.pragma_operator(*token, out);
        }
        let Some(index) = self.macros.index(token.name) else {
            return macros::is_dynamic(token.name) && self.dynamic(*token, out);
        };
        if token.flags.has(TokenFlags::NO_EXPAND) {
            return false;
        }
        if self.macros.is_active(index) {
            token.flags = token.flags.with(TokenFlags::NO_EXPAND);
            return false;
        }
        let Some(definition) = self.macros.get(index) else { return false };
        let (arguments, call_site) = if definition.parameters.is_some() {
            if !self.next_is_left_paren() {
                return false;
            }
            let Some((arguments, end)) = self.arguments(*token, &definition) else {
                // An error was given; the parser says nothing of what is missing here.
                out.push(Token { kind: TokenKind::Unknown, name: words::EMPTY, ..*token });
                return true;
            };
            (Some(arguments), token.span.to(end))
        } else {
            (None, token.span)
        };
        let expansion = self.map.add_expansion(Expansion { call_site, definition: definition.definition });
        let mut tokens = match arguments {
            None if !definition.has_operators => {
                let mut tokens = definition.body.clone();
                for token in &mut tokens {
                    token.span.expansion = expansion;
                    token.flags = token.flags.without(TokenFlags::LINE_START);
                }
                tokens
            }
            arguments => {
                let mut arguments = arguments.unwrap_or(Arguments { raw: Vec::new(), expanded: Vec::new() });
                let mut tokens = Vec::with_capacity(definition.body.len());
                let body = 0..definition.body.len();
                self.substitute(&definition, body, &mut arguments, expansion, &mut tokens);
                tokens
            }
        };
        if let Some(first) = tokens.first_mut() {
            let blank = token.flags.0 & (TokenFlags::LEADING_SPACE.0 | TokenFlags::LINE_START.0);
            let own = first.flags.without(TokenFlags::LEADING_SPACE).without(TokenFlags::LINE_START);
            first.flags = TokenFlags(own.0 | blank);
        }
        if !self.spend(tokens.len() + 1, call_site) {
            return true;
        }
        self.macros.set_active(index, true);
        self.streams.push(Stream { tokens, at: 0, macro_index: Some(index), is_barrier: false });
        true
    }

    /// Is the next token `(`? Nothing is consumed.
    fn next_is_left_paren(&self) -> bool {
        for stream in self.streams.iter().rev() {
            if let Some(token) = stream.tokens.get(stream.at) {
                return token.kind == TokenKind::LeftParen;
            }
            if stream.is_barrier {
                return false;
            }
        }
        self.files.last().is_some_and(|file| file.tokens[file.at].kind == TokenKind::LeftParen)
    }

    /// Reads the arguments of a use of `definition` and the place of the closing parenthesis.
    fn arguments(&mut self, name: Token, definition: &Rc<Macro>) -> Option<(Arguments, Span)> {
        let collecting = std::mem::replace(&mut self.collecting, true);
        let parameters = definition.parameters.as_ref().map_or(0, Vec::len);
        let named = parameters - usize::from(definition.is_variadic);
        let open = self.next_raw();
        let mut raw: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0_u32;
        let end = loop {
            let mut token = self.next_raw();
            match token.kind {
                TokenKind::Eof => break None,
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen if depth == 0 => break Some(token.span),
                TokenKind::RightParen => depth -= 1,
                TokenKind::Comma if depth == 0 && !(definition.is_variadic && raw.len() > named) => {
                    raw.push(Vec::new());
                    continue;
                }
                TokenKind::Ident => {
                    // A name that is met inside its own macro stays as it is for ever.
                    if let Some(index) = self.macros.index(token.name)
                        && self.macros.is_active(index)
                    {
                        token.flags = token.flags.with(TokenFlags::NO_EXPAND);
                    }
                }
                _ => {}
            }
            if token.flags.has(TokenFlags::LINE_START) {
                token.flags = token.flags.without(TokenFlags::LINE_START).with(TokenFlags::LEADING_SPACE);
            }
            if let Some(last) = raw.last_mut() {
                last.push(token);
            }
        };
        self.collecting = collecting;
        let text = self.interner.text(definition.name).to_owned();
        let Some(end) = end else {
            if !self.stopped {
                self.diagnostics.push(
                    Diagnostic::new(
                        &codes::MACRO_ARGUMENTS,
                        name.span,
                        format!("the arguments of the macro `{text}` have no closing `)`"),
                    )
                    .label("used here")
                    .with_label(open.span, "this `(` is never closed"),
                );
            }
            return None;
        };
        let given = if parameters == 0 && raw.len() == 1 && raw[0].is_empty() { 0 } else { raw.len() };
        let enough = given >= named;
        if !enough || given > parameters {
            let plural = if parameters == 1 { "" } else { "s" };
            let verb = if given == 1 { "is" } else { "are" };
            let needs =
                if definition.is_variadic { format!("at least {named}") } else { format!("{parameters}") };
            self.diagnostics.push(
                Diagnostic::new(
                    &codes::MACRO_ARGUMENTS,
                    name.span,
                    format!("the macro `{text}` takes {needs} argument{plural}, and {given} {verb} given"),
                )
                .label("used here")
                .with_label(definition.definition, "defined here"),
            );
            return None;
        }
        raw.resize_with(parameters, Vec::new);
        let expanded = raw.iter().map(|_| None).collect();
        Some((Arguments { raw, expanded }, end))
    }

    /// The expanded tokens of an argument.
    fn expanded<'a>(&mut self, arguments: &'a mut Arguments, at: usize) -> &'a [Token] {
        if arguments.expanded[at].is_none() {
            let tokens = self.expand_list(arguments.raw[at].clone());
            arguments.expanded[at] = Some(tokens);
        }
        arguments.expanded[at].as_deref().unwrap_or(&[])
    }

    /// Puts a part of a macro's body out, arguments in the place of parameters.
    fn substitute(
        &mut self,
        definition: &Macro,
        range: std::ops::Range<usize>,
        arguments: &mut Arguments,
        expansion: ExpansionId,
        out: &mut Vec<Token>,
    ) {
        let body = &definition.body[..range.end];
        let start = out.len();
        let is_function = definition.parameters.is_some();
        let mut at = range.start;
        // `##` waits for its right side; whether its left side was empty.
        let mut paste = false;
        let mut left_is_empty = true;
        while at < body.len() {
            if self.stopped {
                return;
            }
            let mut token = body[at];
            token.span.expansion = expansion;
            token.flags = token.flags.without(TokenFlags::LINE_START);
            if token.kind == TokenKind::HashHash && at > range.start {
                paste = true;
                at += 1;
                continue;
            }
            let mut piece: Vec<Token> = Vec::new();
            let mut next = at + 1;
            let parameter = definition.parameter_of[at];
            if is_function && token.kind == TokenKind::Hash && next < body.len() {
                let operand = definition.parameter_of[next];
                if operand == NO_PARAMETER {
                    // `#__VA_OPT__(…)`
                    let end = closing(body, next + 1);
                    let mut inner = Vec::new();
                    if self.has_variadic_arguments(definition, arguments) {
                        self.substitute(definition, next + 2..end, arguments, expansion, &mut inner);
                    }
                    piece.push(self.stringize(&inner, token));
                    next = end + 1;
                } else {
                    let argument = std::mem::take(&mut arguments.raw[operand as usize]);
                    piece.push(self.stringize(&argument, token));
                    arguments.raw[operand as usize] = argument;
                    next += 1;
                }
            } else if parameter != NO_PARAMETER {
                let parameter = parameter as usize;
                let next_pastes = body.get(next).is_some_and(|next| next.kind == TokenKind::HashHash);
                let is_last_variadic = definition.is_variadic && parameter + 1 == arguments.raw.len();
                if paste
                    && is_last_variadic
                    && at >= 2
                    && body[at - 2].kind == TokenKind::Comma
                    && out.len() > start
                {
                    // GNU: `, ## __VA_ARGS__` drops the comma when there are no arguments.
                    paste = false;
                    if arguments.raw[parameter].is_empty() {
                        out.pop();
                    } else if next_pastes {
                        piece.extend_from_slice(&arguments.raw[parameter]);
                    } else {
                        piece.extend_from_slice(self.expanded(arguments, parameter));
                    }
                } else if paste || next_pastes {
                    piece.extend_from_slice(&arguments.raw[parameter]);
                } else {
                    piece.extend_from_slice(self.expanded(arguments, parameter));
                }
                if let Some(first) = piece.first_mut() {
                    first.flags = if token.flags.has(TokenFlags::LEADING_SPACE) {
                        first.flags.with(TokenFlags::LEADING_SPACE)
                    } else {
                        first.flags.without(TokenFlags::LEADING_SPACE)
                    };
                }
            } else if definition.is_variadic && token.kind == TokenKind::Ident && token.name == words::VA_OPT
            {
                let end = closing(body, at + 1);
                if self.has_variadic_arguments(definition, arguments) {
                    self.substitute(definition, at + 2..end, arguments, expansion, &mut piece);
                }
                next = end + 1;
            } else {
                piece.push(token);
            }
            if !self.spend(piece.len(), token.span) {
                return;
            }
            let is_empty = piece.is_empty();
            if paste && !left_is_empty && !is_empty {
                if let Some(left) = out.pop() {
                    self.paste(left, piece[0], out);
                    out.extend_from_slice(&piece[1..]);
                }
            } else {
                out.append(&mut piece);
            }
            left_is_empty = is_empty && (left_is_empty || !paste);
            paste = false;
            at = next;
        }
    }

    fn has_variadic_arguments(&mut self, definition: &Macro, arguments: &mut Arguments) -> bool {
        definition.is_variadic
            && arguments.raw.len().checked_sub(1).is_some_and(|at| !self.expanded(arguments, at).is_empty())
    }

    /// `#`: the tokens as a string.
    fn stringize(&mut self, tokens: &[Token], at: Token) -> Token {
        let mut text = String::from("\"");
        for (position, token) in tokens.iter().enumerate() {
            if position > 0 && token.flags.has(TokenFlags::LEADING_SPACE) {
                text.push(' ');
            }
            let spelling = self.spelling(*token);
            let is_literal = matches!(token.kind, TokenKind::String | TokenKind::Char);
            for character in spelling.chars() {
                if is_literal && matches!(character, '"' | '\\') {
                    text.push('\\');
                }
                text.push(character);
            }
        }
        text.push('"');
        Token { kind: TokenKind::String, name: self.interner.intern(&text), ..at }
    }

    /// How a token is written.
    pub(super) fn spelling(&self, token: Token) -> &str {
        let text = token.kind.spelling();
        if text.is_empty() { self.interner.text(token.name) } else { text }
    }

    /// `##`: two tokens as one.
    fn paste(&mut self, left: Token, right: Token, out: &mut Vec<Token>) {
        let text = format!("{}{}", self.spelling(left), self.spelling(right));
        let tokens = self.lex_text(&text, left.span);
        match tokens.as_slice() {
            [token]
                if !matches!(
                    token.kind,
                    TokenKind::Unknown | TokenKind::UnterminatedChar | TokenKind::UnterminatedString
                ) =>
            {
                out.push(Token { flags: left.flags.without(TokenFlags::NO_EXPAND), ..*token });
            }
            _ => {
                self.diagnostics.push(
                    Diagnostic::new(
                        &codes::INVALID_PASTE,
                        left.span,
                        format!("`##` makes `{text}`, which is no single token"),
                    )
                    .label("the left side"),
                );
                out.push(left);
                out.push(right);
            }
        }
    }

    /// The tokens of a text that stands in no file; all of them get `span`.
    pub(super) fn lex_text(&mut self, text: &str, span: Span) -> Vec<Token> {
        let mut lexer = Lexer::new(text, BytePos(0));
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next(self.interner, false);
            if token.kind == TokenKind::Eof {
                return tokens;
            }
            let flags = token.flags.without(TokenFlags::LINE_START);
            tokens.push(Token { flags, span, ..token });
        }
    }

    /// Names whose value the preprocessor knows only where they stand.
    fn dynamic(&mut self, token: Token, out: &mut Vec<Token>) -> bool {
        let written = self.map.written(token.span);
        let (kind, text) = match token.name {
            words::LINE_NUMBER => {
                let line = i64::from(self.map.line_column(written.start).line);
                let offset = self.files.last().map_or(0, |file| file.line_offset);
                (TokenKind::Number, (line + offset).max(0).to_string())
            }
            words::COUNTER => {
                self.counter += 1;
                (TokenKind::Number, (self.counter - 1).to_string())
            }
            words::INCLUDE_LEVEL => (TokenKind::Number, self.files.len().saturating_sub(1).to_string()),
            words::FILE | words::FILE_NAME | words::BASE_FILE => {
                let own = self.files.last().and_then(|file| file.line_name.clone());
                let name = match (token.name, &own) {
                    (words::BASE_FILE, _) => self.main_name.to_string(),
                    (_, Some(name)) => name.to_string(),
                    _ => self.map.file(self.map.file_at(written.start)).name.to_string(),
                };
                let name = if token.name == words::FILE_NAME {
                    name.rsplit('/').next().unwrap_or("").to_owned()
                } else {
                    name
                };
                (TokenKind::String, format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
            }
            // In a condition these stay, and are answered there.
            _ => return false,
        };
        let name: Name = self.interner.intern(&text);
        out.push(Token { kind, name, ..token });
        true
    }
}

/// The index of the parenthesis that closes the one at `open`.
fn closing(body: &[Token], open: usize) -> usize {
    let mut depth = 0_u32;
    for (at, token) in body.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    body.len()
}
