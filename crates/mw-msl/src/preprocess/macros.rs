//! Macros: their table and how `#define` reads one.

use std::rc::Rc;

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::preprocess as codes;
use mw_source::Span;

use super::Preprocessor;
use crate::lex::{Token, TokenFlags, TokenKind};
use crate::names::{Name, words};

/// A token of a macro body is no parameter.
pub(super) const NO_PARAMETER: u16 = u16::MAX;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Name,
    /// The name in the definition.
    pub(super) definition: Span,
    /// Parameters of a function-like macro, the variadic one last.
    pub(super) parameters: Option<Vec<Name>>,
    pub(super) is_variadic: bool,
    pub(super) body: Vec<Token>,
    /// For each token of the body, which parameter it is.
    pub(super) parameter_of: Vec<u16>,
    /// The body has `#`, `##` or `__VA_OPT__`.
    pub(super) has_operators: bool,
}

/// Macros by name.
#[derive(Default)]
pub(super) struct MacroTable {
    /// By the number of the name: one more than the index of the macro.
    by_name: Vec<u32>,
    macros: Vec<(Option<Rc<Macro>>, bool)>,
}

impl MacroTable {
    /// The index of a name's macro.
    pub(super) fn index(&self, name: Name) -> Option<u32> {
        let index = self.by_name.get(name.0 as usize).copied().unwrap_or(0).checked_sub(1)?;
        self.macros[index as usize].0.is_some().then_some(index)
    }

    pub(super) fn get(&self, index: u32) -> Option<Rc<Macro>> {
        self.macros[index as usize].0.clone()
    }

    pub(super) fn find(&self, name: Name) -> Option<Rc<Macro>> {
        self.get(self.index(name)?)
    }

    pub(super) fn is_active(&self, index: u32) -> bool {
        self.macros[index as usize].1
    }

    pub(super) fn set_active(&mut self, index: u32, is_active: bool) {
        self.macros[index as usize].1 = is_active;
    }

    /// Sets or removes the macro of a name.
    pub(super) fn set(&mut self, name: Name, definition: Option<Rc<Macro>>) {
        let at = name.0 as usize;
        if at >= self.by_name.len() {
            if definition.is_none() {
                return;
            }
            self.by_name.resize(at + 1, 0);
        }
        match self.by_name[at].checked_sub(1) {
            Some(index) => self.macros[index as usize].0 = definition,
            None if definition.is_some() => {
                self.macros.push((definition, false));
                self.by_name[at] = self.macros.len() as u32;
            }
            None => {}
        }
    }
}

/// Names that the preprocessor answers itself.
pub(super) fn is_dynamic(name: Name) -> bool {
    matches!(
        name,
        words::FILE
            | words::FILE_NAME
            | words::LINE_NUMBER
            | words::COUNTER
            | words::INCLUDE_LEVEL
            | words::BASE_FILE
            | words::HAS_INCLUDE
            | words::HAS_INCLUDE_NEXT
            | words::HAS_FEATURE
            | words::HAS_EXTENSION
            | words::HAS_BUILTIN
            | words::HAS_ATTRIBUTE
            | words::HAS_CPP_ATTRIBUTE
            | words::HAS_DECLSPEC
            | words::HAS_WARNING
            | words::IS_IDENTIFIER
    )
}

impl Preprocessor<'_> {
    pub(super) fn is_defined(&self, name: Name) -> bool {
        self.macros.index(name).is_some() || is_dynamic(name)
    }

    /// The tokens after `#define`.
    pub(super) fn define(&mut self, directive: Span, line: &[Token]) {
        let Some(name) = line.first().filter(|token| token.kind == TokenKind::Ident) else {
            let span = line.first().map_or(directive, |token| token.span);
            self.report(&codes::INVALID_MACRO, span, "expected the name of a macro after `#define`");
            return;
        };
        if matches!(name.name, words::DEFINED | words::VA_ARGS | words::VA_OPT) || is_dynamic(name.name) {
            let text = self.interner.text(name.name).to_owned();
            self.report(&codes::INVALID_MACRO, name.span, format!("`{text}` cannot be a macro's name"));
            return;
        }
        let mut body = &line[1..];
        let mut parameters = None;
        let mut is_variadic = false;
        if let Some(open) = body.first()
            && open.kind == TokenKind::LeftParen
            && !open.flags.has(TokenFlags::LEADING_SPACE)
        {
            match Self::macro_parameters(&body[1..]) {
                Ok((list, variadic, length)) => {
                    parameters = Some(list);
                    is_variadic = variadic;
                    body = &body[1 + length..];
                }
                Err(at) => {
                    let span = body.get(1 + at).map_or(open.span, |token| token.span);
                    self.diagnostics.push(
                        Diagnostic::new(
                            &codes::INVALID_MACRO,
                            span,
                            "the parameters of this macro are malformed",
                        )
                        .help("write distinct names with commas between them, perhaps `...` last"),
                    );
                    return;
                }
            }
        }
        let mut body: Vec<Token> = body.to_vec();
        if let Some(first) = body.first_mut() {
            first.flags = first.flags.without(TokenFlags::LEADING_SPACE);
        }
        let is_function = parameters.is_some();
        let parameter_of: Vec<u16> = body
            .iter()
            .map(|token| {
                let list = parameters.as_deref().unwrap_or(&[]);
                if token.kind != TokenKind::Ident {
                    return NO_PARAMETER;
                }
                list.iter().position(|name| *name == token.name).map_or(NO_PARAMETER, |at| at as u16)
            })
            .collect();
        if let Some(message) = check_body(&body, &parameter_of, is_function, is_variadic) {
            self.report(&codes::INVALID_MACRO, message.1, message.0);
            return;
        }
        let has_operators = body.iter().any(|token| {
            token.kind == TokenKind::HashHash
                || is_function && token.kind == TokenKind::Hash
                || is_variadic && token.name == words::VA_OPT
        });
        let new = Macro {
            name: name.name,
            definition: name.span,
            parameters,
            is_variadic,
            body,
            parameter_of,
            has_operators,
        };
        if let Some(old) = self.macros.find(name.name)
            && !is_same(&old, &new)
            && !self.map.is_builtin(old.definition)
        {
            let text = self.interner.text(name.name);
            self.diagnostics.push(
                Diagnostic::new(
                    &codes::MACRO_REDEFINED,
                    name.span,
                    format!("the macro `{text}` is defined again with another body"),
                )
                .label("defined again here")
                .with_label(old.definition, "first defined here")
                .help(format!("write `#undef {text}` before it if that is meant")),
            );
        }
        self.macros.set(name.name, Some(Rc::new(new)));
    }

    /// Parameters after `(`: names, is variadic, tokens used. The error is where it went wrong.
    fn macro_parameters(tokens: &[Token]) -> Result<(Vec<Name>, bool, usize), usize> {
        let mut names: Vec<Name> = Vec::new();
        let mut at = 0;
        let kind = |at: usize| tokens.get(at).map(|token| token.kind);
        if kind(0) == Some(TokenKind::RightParen) {
            return Ok((names, false, 1));
        }
        loop {
            match kind(at) {
                Some(TokenKind::Ellipsis) => {
                    names.push(words::VA_ARGS);
                    return if kind(at + 1) == Some(TokenKind::RightParen) {
                        Ok((names, true, at + 2))
                    } else {
                        Err(at + 1)
                    };
                }
                Some(TokenKind::Ident) => {
                    let name = tokens[at].name;
                    if name == words::VA_ARGS || names.contains(&name) {
                        return Err(at);
                    }
                    names.push(name);
                    at += 1;
                }
                _ => return Err(at),
            }
            match kind(at) {
                Some(TokenKind::Comma) => at += 1,
                Some(TokenKind::RightParen) => return Ok((names, false, at + 1)),
                // GNU: `args...`
                Some(TokenKind::Ellipsis) if kind(at + 1) == Some(TokenKind::RightParen) => {
                    return Ok((names, true, at + 2));
                }
                _ => return Err(at),
            }
        }
    }
}

/// What is wrong with the operators of a body.
fn check_body(
    body: &[Token],
    parameter_of: &[u16],
    is_function: bool,
    is_variadic: bool,
) -> Option<(&'static str, Span)> {
    let paste =
        |at: Option<&Token>| at.filter(|token| token.kind == TokenKind::HashHash).map(|token| token.span);
    if let Some(span) = paste(body.first()).or_else(|| paste(body.last())) {
        return Some(("`##` needs a token on both sides", span));
    }
    for (at, token) in body.iter().enumerate() {
        if is_function
            && token.kind == TokenKind::Hash
            && parameter_of.get(at + 1).is_none_or(|parameter| *parameter == NO_PARAMETER)
            && !(is_variadic && body.get(at + 1).is_some_and(|next| next.name == words::VA_OPT))
        {
            return Some(("`#` must stand before a parameter of the macro", token.span));
        }
        if is_variadic && token.kind == TokenKind::Ident && token.name == words::VA_OPT {
            let mut depth = 0_u32;
            let is_closed = body[at + 1..].iter().any(|token| {
                match token.kind {
                    TokenKind::LeftParen => depth += 1,
                    TokenKind::RightParen => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0
            });
            if !is_closed || body.get(at + 1).is_none_or(|next| next.kind != TokenKind::LeftParen) {
                return Some(("`__VA_OPT__` needs its tokens in parentheses", token.span));
            }
        }
    }
    None
}

/// Do two definitions mean the same, as the standard sees it?
fn is_same(left: &Macro, right: &Macro) -> bool {
    left.parameters == right.parameters
        && left.is_variadic == right.is_variadic
        && left.body.len() == right.body.len()
        && left.body.iter().zip(&right.body).all(|(left, right)| {
            left.kind == right.kind
                && left.name == right.name
                && left.flags.has(TokenFlags::LEADING_SPACE) == right.flags.has(TokenFlags::LEADING_SPACE)
        })
}
