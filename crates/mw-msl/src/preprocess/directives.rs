//! Directives: the lines that begin with `#`.

use std::rc::Rc;

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::preprocess as codes;
use mw_source::{FileId, Span};

use super::files::{folder, join};
use super::{Conditional, INCLUDE_DEPTH, Preprocessor, Stream};
use crate::lex::{Token, TokenFlags, TokenKind, parse_number, unescape_string};
use crate::names::{Name, words};

impl Preprocessor<'_> {
    /// The rest of the line of the open file, which is then behind us.
    fn take_line(&mut self) -> Vec<Token> {
        let Some(file) = self.files.last_mut() else { return Vec::new() };
        let start = file.at;
        while !file.tokens[file.at].flags.has(TokenFlags::LINE_START) {
            file.at += 1;
        }
        file.tokens[start..file.at].to_vec()
    }

    /// One directive; its `#` is behind us.
    pub(super) fn directive(&mut self) {
        let hash = match self.files.last() {
            Some(file) => file.tokens[file.at - 1].span,
            None => return,
        };
        let line = self.take_line();
        let Some(word) = line.first().copied() else { return };
        let rest = &line[1..];
        let span = hash.to(word.span);
        match word.name {
            words::DEFINE => self.define(span, rest),
            words::UNDEF => {
                if let Some(name) = self.directive_name(span, rest) {
                    self.macros.set(name, None);
                }
            }
            words::INCLUDE | words::IMPORT | words::INCLUDE_NEXT => {
                self.include(span, rest, word.name == words::IMPORT);
            }
            words::IFDEF | words::IFNDEF => {
                let is_defined = self.directive_name(span, rest).is_some_and(|name| self.is_defined(name));
                self.open_conditional(span, is_defined == (word.name == words::IFDEF));
            }
            words::IF => {
                let holds = self.condition(span, rest);
                self.open_conditional(span, holds);
            }
            words::ELIF | words::ELIFDEF | words::ELIFNDEF | words::ELSE => {
                // Reached while reading a group that was taken: skip to the end.
                let is_else = word.name == words::ELSE;
                match self.files.last_mut().and_then(|file| file.conditionals.last_mut()) {
                    Some(open) if !open.seen_else => {
                        open.seen_else = is_else;
                        self.skip_groups();
                    }
                    Some(_) => self.report(
                        &codes::UNBALANCED_CONDITIONAL,
                        span,
                        "this conditional already had its `#else`",
                    ),
                    None => self.without_if(word.name, span),
                }
            }
            words::ENDIF => {
                if self.files.last_mut().is_none_or(|file| file.conditionals.pop().is_none()) {
                    self.without_if(word.name, span);
                }
            }
            words::ERROR | words::WARNING => {
                let text: String = self.line_text(rest);
                let code = if word.name == words::ERROR {
                    &codes::ERROR_DIRECTIVE
                } else {
                    &codes::WARNING_DIRECTIVE
                };
                let message = if text.is_empty() {
                    self.interner.text(word.name).to_owned() + " without text"
                } else {
                    text
                };
                self.report(code, span, message);
            }
            words::LINE => self.line_directive(span, rest.to_vec()),
            words::PRAGMA => self.pragma(rest),
            words::IDENT => {}
            _ if word.kind == TokenKind::Number => self.line_directive(span, line.clone()),
            _ => {
                let text = self.spelling(word).to_owned();
                self.diagnostics.push(
                    Diagnostic::new(
                        &codes::INVALID_DIRECTIVE,
                        span,
                        format!("`#{text}` is not a directive"),
                    )
                    .help("the directives are `#include`, `#define`, `#undef`, `#if` and its kin, `#error`, `#warning`, `#line` and `#pragma`"),
                );
            }
        }
    }

    fn without_if(&mut self, word: Name, span: Span) {
        let text = self.interner.text(word).to_owned();
        self.report(&codes::UNBALANCED_CONDITIONAL, span, format!("`#{text}` without `#if`"));
    }

    /// The text of a line's tokens as the user wrote it.
    fn line_text(&self, line: &[Token]) -> String {
        match (line.first(), line.last()) {
            (Some(first), Some(last)) => self.map.text(first.span.to(last.span)).trim().to_owned(),
            _ => String::new(),
        }
    }

    /// The one name that a directive takes.
    fn directive_name(&mut self, directive: Span, line: &[Token]) -> Option<Name> {
        match line.first() {
            Some(token) if token.kind == TokenKind::Ident => Some(token.name),
            other => {
                let span = other.map_or(directive, |token| token.span);
                self.report(&codes::INVALID_DIRECTIVE, span, "expected the name of a macro");
                None
            }
        }
    }

    fn open_conditional(&mut self, opened: Span, holds: bool) {
        let Some(file) = self.files.last_mut() else { return };
        file.conditionals.push(Conditional { opened, taken: holds, seen_else: false });
        if !holds {
            self.skip_groups();
        }
    }

    /// Skips groups of the innermost conditional until one is taken or it ends.
    fn skip_groups(&mut self) {
        let mut depth = 0_u32;
        loop {
            let Some(file) = self.files.last_mut() else { return };
            let token = file.tokens[file.at];
            if token.kind == TokenKind::Eof {
                return;
            }
            file.at += 1;
            if token.kind != TokenKind::Hash || !token.flags.has(TokenFlags::LINE_START) {
                continue;
            }
            let word = file.tokens[file.at];
            if word.flags.has(TokenFlags::LINE_START) || word.kind != TokenKind::Ident {
                continue;
            }
            match word.name {
                words::IF | words::IFDEF | words::IFNDEF => depth += 1,
                words::ENDIF if depth > 0 => depth -= 1,
                words::ENDIF => {
                    file.at += 1;
                    file.conditionals.pop();
                    self.take_line();
                    return;
                }
                words::ELSE | words::ELIF | words::ELIFDEF | words::ELIFNDEF if depth == 0 => {
                    file.at += 1;
                    let line = self.take_line();
                    let span = token.span.to(word.span);
                    if self.alternative(word.name, span, &line) {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// An `#else` or `#elif` met while skipping: is its group taken?
    fn alternative(&mut self, word: Name, span: Span, line: &[Token]) -> bool {
        let Some(open) = self.files.last_mut().and_then(|file| file.conditionals.last_mut()) else {
            return true;
        };
        if open.seen_else {
            self.report(&codes::UNBALANCED_CONDITIONAL, span, "this conditional already had its `#else`");
            return false;
        }
        open.seen_else = word == words::ELSE;
        if open.taken {
            return false;
        }
        let holds = match word {
            words::ELSE => true,
            words::ELIF => self.condition(span, line),
            _ => {
                let is_defined = self.directive_name(span, line).is_some_and(|name| self.is_defined(name));
                is_defined == (word == words::ELIFDEF)
            }
        };
        if holds && let Some(open) = self.files.last_mut().and_then(|file| file.conditionals.last_mut()) {
            open.taken = true;
        }
        holds
    }

    /// The path after `#include`, and whether it stands in quotes.
    pub(super) fn header_name(&mut self, line: &[Token]) -> Option<(String, bool)> {
        let first = line.first()?;
        match first.kind {
            TokenKind::String => {
                let text = self.interner.text(first.name);
                Some((text.trim_matches('"').to_owned(), true))
            }
            TokenKind::Less => {
                let close = line.iter().rposition(|token| token.kind == TokenKind::Greater)?;
                let (start, end) = (first.span.end, line[close].span.start);
                let is_written = first.span.expansion == line[close].span.expansion && start <= end;
                let text = if is_written && self.map.file_at(start) == self.map.file_at(end) {
                    self.map.text(Span { start, end, expansion: first.span.expansion }).to_owned()
                } else {
                    line[1..close].iter().map(|token| self.spelling(*token)).collect()
                };
                Some((text.trim().to_owned(), false))
            }
            _ => None,
        }
    }

    fn include(&mut self, span: Span, line: &[Token], is_import: bool) {
        let mut name = self.header_name(line);
        if name.is_none() && !line.is_empty() {
            let expanded = self.expand_list(line.to_vec());
            name = self.header_name(&expanded);
        }
        let Some((path, is_quoted)) = name else {
            self.diagnostics.push(
                Diagnostic::new(&codes::INVALID_DIRECTIVE, span, "expected a file after `#include`")
                    .help("write `#include <metal_stdlib>` or `#include \"file.h\"`"),
            );
            return;
        };
        if self.files.len() > INCLUDE_DEPTH {
            self.report(
                &codes::INCLUDE_TOO_DEEP,
                span,
                format!("files include each other more than {INCLUDE_DEPTH} levels deep"),
            );
            // Nothing good comes of the many levels that are still open.
            self.stopped = true;
            return;
        }
        let Some((id, tokens)) = self.find_header(&path, is_quoted) else {
            let at = match (line.first(), line.last()) {
                (Some(first), Some(last)) => first.span.to(last.span),
                _ => span,
            };
            self.diagnostics.push(
                Diagnostic::new(&codes::FILE_NOT_FOUND, at, format!("cannot find the file `{path}`"))
                    .label("included here")
                    .help(missing_header_help(&path)),
            );
            return;
        };
        if self.once.contains(&id) || !self.spend(1, span) {
            return;
        }
        if is_import {
            self.once.insert(id);
        }
        self.open(id, tokens);
    }

    /// Finds a header: beside the including file if quoted, then the standard library, then the folders.
    fn find_header(&mut self, path: &str, is_quoted: bool) -> Option<(FileId, Rc<[Token]>)> {
        if is_quoted {
            let beside = self.files.last().map(|file| self.map.file(file.id).name.clone())?;
            if let Some(found) = self.load(&join(folder(&beside), path)) {
                return Some(found);
            }
        }
        if let Some(found) = self.load_standard(path) {
            return Some(found);
        }
        let options = self.options;
        options.include_folders.iter().find_map(|folder| self.load(&join(folder, path)))
    }

    /// Can `__has_include` find it?
    pub(super) fn has_header(&mut self, path: &str, is_quoted: bool) -> bool {
        self.find_header(path, is_quoted).is_some()
    }

    fn line_directive(&mut self, span: Span, line: Vec<Token>) {
        let expanded = self.expand_list(line);
        let number = expanded.first().filter(|token| token.kind == TokenKind::Number).and_then(|token| {
            match parse_number(self.interner.text(token.name)) {
                Ok(crate::lex::Number::Int(value, _)) => i64::try_from(value).ok(),
                _ => None,
            }
        });
        let Some(number) = number else {
            self.report(&codes::INVALID_DIRECTIVE, span, "expected a line number after `#line`");
            return;
        };
        let name = expanded
            .get(1)
            .filter(|token| token.kind == TokenKind::String)
            .and_then(|token| unescape_string(self.interner.text(token.name)));
        let here = i64::from(self.map.line_column(span.start).line);
        if let Some(file) = self.files.last_mut() {
            file.line_offset = number.min(1 << 31) - here - 1;
            if let Some(name) = name {
                file.line_name = Some(name.into());
            }
        }
    }

    /// Leaves tokens to be read next.
    pub(super) fn push_tokens(&mut self, tokens: Vec<Token>) {
        self.streams.push(Stream { tokens, at: 0, macro_index: None, is_barrier: false });
    }
}

/// What to do about a header that is not there.
fn missing_header_help(path: &str) -> String {
    const OF_C: &[&str] = &[
        "algorithm",
        "array",
        "assert.h",
        "atomic",
        "cassert",
        "cfloat",
        "climits",
        "cmath",
        "complex",
        "cstddef",
        "cstdint",
        "cstdio",
        "cstdlib",
        "cstring",
        "cuda.h",
        "cuda_bf16.h",
        "cuda_fp16.h",
        "cuda_runtime.h",
        "float.h",
        "functional",
        "iostream",
        "limits",
        "limits.h",
        "map",
        "math.h",
        "memory",
        "numeric",
        "stdbool.h",
        "stddef.h",
        "stdint.h",
        "stdio.h",
        "stdlib.h",
        "string",
        "string.h",
        "tuple",
        "type_traits",
        "utility",
        "vector",
    ];
    if OF_C.contains(&path) {
        return "Metal has no C or C++ standard library: `#include <metal_stdlib>` has what kernels can use"
            .to_owned();
    }
    let names = crate::stdlib::header_names();
    match crate::sema::closest_name(path, names) {
        Some(name) => format!("did you mean `<{name}>`?"),
        None => "add its folder with `-I`, or name a header of the Metal standard library".to_owned(),
    }
}
