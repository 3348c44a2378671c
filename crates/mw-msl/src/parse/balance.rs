//! Where a brace is missing or too many, by indentation.
//!
//! The parser notices at the end of the file, or in the next function, that braces do not fit. People indent
//! what they put between braces: the first `}` that does not stand under the line of its `{` shows where the
//! mistake is, and what the parser found behind that place is no second mistake.

use mw_diagnostics::registry::syntax as codes;
use mw_diagnostics::{Code, Diagnostic};
use mw_source::{ExpansionId, SourceMap, Span};

use crate::lex::{Token, TokenFlags, TokenKind};
use crate::names::words;

/// A `{`, and how far the line is indented on which it stands.
struct Open {
    span: Span,
    indent: u32,
    /// Is it the body of a namespace, whose content many do not indent?
    is_flat: bool,
}

/// What the indentation says.
struct Suspect {
    code: &'static Code,
    /// The brace without a partner.
    brace: Span,
    /// Before which token the missing one belongs; nowhere else for one too many.
    before: Span,
}

/// Replaces what the parser said about braces that do not fit by one diagnostic at the likely place.
pub(crate) fn locate(tokens: &[Token], map: &SourceMap, diagnostics: &mut Vec<Diagnostic>) {
    let is_of_the_parser = |found: &Diagnostic| found.code.number >= 100;
    // Only mistakes of the grammar may come from braces, and literals that swallow braces come first.
    if !diagnostics.iter().any(is_of_the_parser)
        || diagnostics.iter().any(|found| found.is_error() && !is_of_the_parser(found))
    {
        return;
    }
    let Some(suspect) = suspect(tokens, map) else { return };
    let from = suspect.before.start.min(suspect.brace.start);
    // What stands before it is a mistake of its own.
    let is_about_braces =
        |found: &Diagnostic| [&codes::UNCLOSED_BRACE, &codes::UNMATCHED_BRACE].contains(&found.code);
    diagnostics.retain(|found| {
        !is_about_braces(found) && (!is_of_the_parser(found) || map.written(found.primary.span).start < from)
    });
    let diagnostic = if suspect.code == &codes::EXPECTED_TOKEN {
        Diagnostic::new(suspect.code, suspect.brace, "expected `{` before the body of the function")
            .label("`{` is missing after this")
            .with_fix(suspect.brace.after(), " {")
    } else if suspect.code == &codes::UNCLOSED_BRACE {
        Diagnostic::new(suspect.code, suspect.brace, "this `{` is never closed")
            .label("opened here")
            .with_label(suspect.before, "by the indentation, a `}` is missing before this")
    } else {
        Diagnostic::new(suspect.code, suspect.brace, "this `}` closes nothing")
            .label("by the indentation, this one is too many")
    };
    diagnostics.push(diagnostic);
}

/// The first brace whose indentation does not fit, if the braces do not balance.
fn suspect(tokens: &[Token], map: &SourceMap) -> Option<Suspect> {
    let mut open: Vec<Open> = Vec::new();
    let mut found: Option<Suspect> = None;
    let mut indent = 0;
    let mut balance = 0_i64;
    let mut is_namespace = false;
    // The brace closed last: the indentation of its partner's line, and how many stay open.
    let mut closed: Option<(Span, u32, usize)> = None;
    // Outside of all braces: the last token so far, and the `)` behind which an indented line began.
    let mut last: Option<Token> = None;
    let mut header: Option<Span> = None;
    for token in tokens {
        if token.span.expansion != ExpansionId::ROOT || map.is_builtin(token.span) {
            // A macro's braces count, but show nothing.
            match token.kind {
                TokenKind::LeftBrace => balance += 1,
                TokenKind::RightBrace => balance -= 1,
                _ => {}
            }
            continue;
        }
        let begins_line = token.flags.has(TokenFlags::LINE_START);
        if begins_line {
            indent = map.line_column(token.span.start).column;
            if let Some((brace, partner, depth)) = closed
                && found.is_none()
                && token.kind != TokenKind::RightBrace
                && open.len() == depth
                && indent > partner
            {
                // What follows stands further in than what the brace closed.
                found = Some(Suspect { code: &codes::UNMATCHED_BRACE, brace, before: brace });
            }
            if open.is_empty() && token.kind != TokenKind::RightBrace {
                if indent == 1 {
                    header = None;
                } else if header.is_none() {
                    header = last.filter(|last| last.kind == TokenKind::RightParen).map(|last| last.span);
                }
            }
        }
        if token.kind != TokenKind::Semicolon {
            closed = None;
        }
        if open.is_empty() {
            last = Some(*token);
        }
        match token.kind {
            TokenKind::LeftBrace => {
                balance += 1;
                open.push(Open { span: token.span, indent, is_flat: is_namespace });
                is_namespace = false;
            }
            TokenKind::RightBrace => {
                balance -= 1;
                let partner = open.pop();
                closed = partner.as_ref().map(|partner| (token.span, partner.indent, open.len()));
                if found.is_none()
                    && partner.is_none()
                    && let Some(header) = header
                {
                    found = Some(Suspect { code: &codes::EXPECTED_TOKEN, brace: header, before: header });
                }
                if found.is_none() && begins_line {
                    found = match &partner {
                        Some(partner) if partner.indent > indent => Some(Suspect {
                            code: &codes::UNCLOSED_BRACE,
                            brace: partner.span,
                            before: token.span,
                        }),
                        Some(partner) if partner.indent < indent && !partner.is_flat => Some(Suspect {
                            code: &codes::UNMATCHED_BRACE,
                            brace: token.span,
                            before: token.span,
                        }),
                        _ => None,
                    };
                }
            }
            TokenKind::Semicolon => is_namespace = false,
            TokenKind::Ident if [words::NAMESPACE, words::EXTERN].contains(&token.name) => {
                is_namespace = true;
            }
            _ => {}
        }
    }
    found.filter(|suspect| match balance {
        0 => false,
        1.. => suspect.code == &codes::UNCLOSED_BRACE,
        _ => suspect.code != &codes::UNCLOSED_BRACE,
    })
}
