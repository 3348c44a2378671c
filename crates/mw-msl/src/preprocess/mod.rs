//! Preprocessing tokens to tokens: directives, conditions, includes and macros.
//!
//! Files are lexed whole; a stack of token streams holds what macro uses left to be read again. A macro is
//! off while a stream of its expansion is on the stack, and a name that is met while its macro is off is
//! marked and never expanded again: that is the standard's rule against recursion.
//! The sum of all tokens made is bounded, so that a few hostile lines cannot fill the memory.

mod condition;
mod directives;
mod expand;
mod files;
mod macros;
mod pragma;
mod predefined;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use mw_diagnostics::registry::preprocess as codes;
use mw_diagnostics::{Code, Diagnostic};
use mw_source::{BytePos, FileId, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

pub use files::{FileProvider, MemoryFiles};

use crate::lex::{Lexer, Token, TokenFlags, TokenKind};
use crate::names::{Interner, Name, words};
use crate::options::Options;
use macros::MacroTable;

/// Bound on the tokens that expansion may make, output included.
const TOKEN_LIMIT: usize = 4_000_000;
/// Bound on files that include each other.
const INCLUDE_DEPTH: usize = 200;

/// Preprocesses `main` after the library's prelude and gives the tokens of both, an end token last.
pub fn preprocess(
    options: &Options,
    files: &dyn FileProvider,
    main: &str,
    map: &mut SourceMap,
    interner: &mut Interner,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Token> {
    let prelude = crate::stdlib::prelude();
    Preprocessor::new(options, files, main, map, interner, diagnostics).run_all(main, prelude)
}

/// As [`preprocess`], without the library: only what the text itself says is known. For tools that look at
/// text alone.
pub fn preprocess_bare(
    options: &Options,
    files: &dyn FileProvider,
    main: &str,
    map: &mut SourceMap,
    interner: &mut Interner,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Token> {
    Preprocessor::new(options, files, main, map, interner, diagnostics).run_all(main, "")
}

/// A file being read.
struct OpenFile {
    tokens: Rc<[Token]>,
    at: usize,
    id: FileId,
    conditionals: Vec<Conditional>,
    /// From `#line`: what to add to line numbers, and the name.
    line_offset: i64,
    line_name: Option<Rc<str>>,
}

/// An open `#if`.
struct Conditional {
    opened: Span,
    /// One of its groups was taken.
    taken: bool,
    seen_else: bool,
}

/// Tokens waiting to be read again.
struct Stream {
    tokens: Vec<Token>,
    at: usize,
    /// The macro that is off while this stream is on the stack.
    macro_index: Option<u32>,
    /// Reading stops at its end: a macro argument or a directive's line.
    is_barrier: bool,
}

struct Preprocessor<'a> {
    options: &'a Options,
    provider: &'a dyn FileProvider,
    map: &'a mut SourceMap,
    interner: &'a mut Interner,
    diagnostics: &'a mut Vec<Diagnostic>,
    macros: MacroTable,
    files: Vec<OpenFile>,
    lexed: FxHashMap<String, (FileId, Rc<[Token]>)>,
    once: FxHashSet<FileId>,
    streams: Vec<Stream>,
    budget: usize,
    /// The budget is used up: nothing more is read.
    stopped: bool,
    /// The arguments of a macro use are being read.
    collecting: bool,
    in_condition: bool,
    /// Nesting of macro arguments that are expanded on their own.
    depth: u32,
    counter: u64,
    saved_macros: FxHashMap<Name, Vec<Option<Rc<macros::Macro>>>>,
    main_name: Rc<str>,
}

impl<'a> Preprocessor<'a> {
    fn new(
        options: &'a Options,
        provider: &'a dyn FileProvider,
        main: &str,
        map: &'a mut SourceMap,
        interner: &'a mut Interner,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self {
            options,
            provider,
            map,
            interner,
            diagnostics,
            macros: MacroTable::default(),
            files: Vec::new(),
            lexed: FxHashMap::default(),
            once: FxHashSet::default(),
            streams: Vec::new(),
            budget: TOKEN_LIMIT,
            stopped: false,
            collecting: false,
            in_condition: false,
            depth: 0,
            counter: 0,
            saved_macros: FxHashMap::default(),
            main_name: main.into(),
        }
    }
}

impl Preprocessor<'_> {
    fn run_all(&mut self, main: &str, prelude: &'static str) -> Vec<Token> {
        let mut out = Vec::new();
        // The library comes before the user's definitions, which must not change it.
        self.run_builtin("<built-in>", predefined::text(self.options), &mut out);
        self.run_builtin("<metal>", prelude, &mut out);
        self.run_builtin("<command line>", predefined::defines(self.options), &mut out);
        let end = if let Some((id, tokens)) = self.load(main) {
            let end = self.map.file(id).end();
            self.open(id, tokens);
            out.reserve(self.files[0].tokens.len());
            self.run(&mut out);
            end
        } else {
            let span = Span::default();
            self.report(&codes::FILE_NOT_FOUND, span, format!("cannot find the file `{main}`"));
            BytePos(0)
        };
        out.push(Token {
            kind: TokenKind::Eof,
            flags: TokenFlags::LINE_START,
            name: words::EMPTY,
            span: Span::new(end, end),
        });
        out
    }

    /// Runs a text of our own that comes before the user's.
    fn run_builtin(&mut self, name: &str, text: impl Into<std::sync::Arc<str>>, out: &mut Vec<Token>) {
        if let Some(id) = self.map.add(name, text, true) {
            let tokens = self.lex_file(id);
            self.open(id, tokens);
            self.run(out);
            self.files.clear();
        }
    }

    fn report(&mut self, code: &'static Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(code, span, message));
    }

    /// Cuts a file into tokens.
    fn lex_file(&mut self, id: FileId) -> Rc<[Token]> {
        let file = self.map.file(id);
        let (text, start) = (file.text.clone(), file.start);
        let mut lexer = Lexer::new(&text, start);
        let mut tokens = Vec::with_capacity(text.len() / 4);
        loop {
            let mut token = lexer.next(self.interner, false);
            if token.kind == TokenKind::Eof {
                token.flags = token.flags.with(TokenFlags::LINE_START);
                tokens.push(token);
                break;
            }
            tokens.push(token);
        }
        if let Some(span) = lexer.unterminated_comment {
            self.diagnostics.push(
                Diagnostic::new(&codes::UNTERMINATED_COMMENT, span, "this comment has no end")
                    .label("the comment begins here")
                    .help("write `*/` where it ends"),
            );
        }
        tokens.into()
    }

    /// The tokens of a file by its path; `None` if it is not there.
    fn load(&mut self, path: &str) -> Option<(FileId, Rc<[Token]>)> {
        if let Some((id, tokens)) = self.lexed.get(path) {
            return Some((*id, tokens.clone()));
        }
        let text = self.provider.read(path)?;
        let id = self.map.add(path, text, false)?;
        let tokens = self.lex_file(id);
        self.lexed.insert(path.to_owned(), (id, tokens.clone()));
        Some((id, tokens))
    }

    /// The tokens of a header of the standard library.
    fn load_standard(&mut self, name: &str) -> Option<(FileId, Rc<[Token]>)> {
        let text = crate::stdlib::header(name)?;
        let key = format!("<{name}>");
        if let Some((id, tokens)) = self.lexed.get(&key) {
            return Some((*id, tokens.clone()));
        }
        let id = self.map.add(key.as_str(), text, true)?;
        let tokens = self.lex_file(id);
        self.lexed.insert(key, (id, tokens.clone()));
        Some((id, tokens))
    }

    fn open(&mut self, id: FileId, tokens: Rc<[Token]>) {
        self.files.push(OpenFile {
            tokens,
            at: 0,
            id,
            conditionals: Vec::new(),
            line_offset: 0,
            line_name: None,
        });
    }

    /// Uses up the budget; `false` when it is gone, which is reported once.
    fn spend(&mut self, tokens: usize, span: Span) -> bool {
        if self.stopped {
            return false;
        }
        if let Some(rest) = self.budget.checked_sub(tokens) {
            self.budget = rest;
            return true;
        }
        self.stopped = true;
        self.diagnostics.push(
            Diagnostic::new(
                &codes::EXPANSION_TOO_LARGE,
                span,
                format!("macros and includes make more than {TOKEN_LIMIT} tokens"),
            )
            .label("the limit is reached here"),
        );
        false
    }

    fn end_token(&self) -> Token {
        let at = self.files.last().map_or(BytePos(0), |file| self.map.file(file.id).end());
        Token {
            kind: TokenKind::Eof,
            flags: TokenFlags::LINE_START,
            name: words::EMPTY,
            span: Span::new(at, at),
        }
    }

    /// The next token, not expanded: from the streams first, else from the open files.
    fn next_raw(&mut self) -> Token {
        while let Some(stream) = self.streams.last_mut() {
            if self.stopped && !stream.is_barrier {
                stream.at = stream.tokens.len();
            }
            if let Some(token) = stream.tokens.get(stream.at) {
                if self.stopped {
                    return self.end_token();
                }
                stream.at += 1;
                return *token;
            }
            if stream.is_barrier {
                return self.end_token();
            }
            let macro_index = stream.macro_index;
            self.streams.pop();
            if let Some(index) = macro_index {
                self.macros.set_active(index, false);
            }
        }
        self.next_from_file()
    }

    fn next_from_file(&mut self) -> Token {
        loop {
            if self.stopped {
                return self.end_token();
            }
            let Some(file) = self.files.last_mut() else { return self.end_token() };
            let token = file.tokens[file.at];
            match token.kind {
                TokenKind::Hash if token.flags.has(TokenFlags::LINE_START) => {
                    file.at += 1;
                    self.directive();
                    // A pragma may have left tokens.
                    if let Some(stream) = self.streams.last_mut() {
                        stream.at += 1;
                        return stream.tokens[stream.at - 1];
                    }
                }
                TokenKind::Eof => {
                    if self.collecting || self.files.len() == 1 {
                        if !self.collecting {
                            self.close_conditionals();
                        }
                        return token;
                    }
                    self.close_conditionals();
                    self.files.pop();
                }
                _ => {
                    file.at += 1;
                    return token;
                }
            }
        }
    }

    /// Reports what is still open at the end of a file.
    fn close_conditionals(&mut self) {
        let Some(file) = self.files.last_mut() else { return };
        for conditional in std::mem::take(&mut file.conditionals) {
            self.diagnostics.push(
                Diagnostic::new(
                    &codes::UNBALANCED_CONDITIONAL,
                    conditional.opened,
                    "this conditional is never closed",
                )
                .label("opened here")
                .help("write `#endif` where it ends"),
            );
        }
    }
}
