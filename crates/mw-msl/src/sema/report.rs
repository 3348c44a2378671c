//! Ways to report a mistake once, with the way that led to it.

use super::{Failed, R, Sema};
use crate::types::{AddressSpace, TypeId};
use mw_diagnostics::registry::semantics as codes;
use mw_diagnostics::{Code, Diagnostic};
use mw_source::{BytePos, ExpansionId, Span};

/// Something of C++ that Metal leaves out; `what` follows "Metal has no".
pub(crate) fn forbidden(span: Span, what: &str) -> Diagnostic {
    Diagnostic::new(&codes::FORBIDDEN, span, format!("Metal has no {what}"))
        .note("the language leaves it out of C++17 (MSL specification, \"Restrictions\")")
}

/// A pointer or reference to one memory where one to another is needed. `verb` says how the place belongs to
/// its memory: "points to", "lives in".
pub(crate) fn across_spaces(
    span: Span,
    verb: &str,
    have: AddressSpace,
    message: impl Into<String>,
) -> Diagnostic {
    Diagnostic::new(&codes::ADDRESS_SPACE_MISMATCH, span, message)
        .label(format!("{verb} `{}` memory", have.name()))
        .note("pointers and references of different address spaces never convert (MSL specification, \"Address Spaces\")")
}

impl Sema<'_> {
    /// Fails: silently inside a substitution, else with a diagnostic.
    pub(crate) fn fail<T>(&mut self, make: impl FnOnce(&mut Self) -> Diagnostic) -> R<T> {
        if self.quiet == 0 {
            let diagnostic = make(self);
            self.report(diagnostic);
        }
        Err(Failed)
    }

    /// Fails with a plain message.
    pub(crate) fn error<T>(&mut self, code: &'static Code, span: Span, message: impl Into<String>) -> R<T> {
        self.fail(|_| Diagnostic::new(code, span, message))
    }

    /// Reports, once for each place and code.
    pub(crate) fn report(&mut self, mut diagnostic: Diagnostic) {
        if self.quiet == 0 && diagnostic.is_error() {
            self.mistakes += 1;
        }
        if self.quiet > 0 || !self.reported.insert((diagnostic.code.number, diagnostic.primary.span)) {
            return;
        }
        // A mistake that shows inside the library was made where the user called it.
        if !self.is_user(diagnostic.primary.span)
            && let Some(at) =
                self.calls.last().copied().filter(|span| self.is_user(*span)).or_else(|| {
                    self.chain.iter().rev().map(|(span, _)| *span).find(|span| self.is_user(*span))
                })
        {
            // The library's own text would say nothing to the user.
            diagnostic.primary.span = at;
            diagnostic.labels.retain(|label| self.is_user(label.span));
            if !self.reported.insert((diagnostic.code.number, at)) {
                return;
            }
        }
        if diagnostic.chain.is_empty() {
            // Innermost first; a long way is shortened in its middle.
            let primary = diagnostic.primary.span;
            let mut steps: Vec<_> = self
                .chain
                .iter()
                .rev()
                .filter(|(span, _)| *span != primary && (self.is_user(*span) || !self.is_user(primary)))
                .collect();
            // A template that asks for itself does so at one place.
            steps.dedup_by_key(|(span, _)| *span);
            let shown: Vec<_> = if steps.len() > 4 {
                steps[..2].iter().chain(&steps[steps.len() - 1..]).copied().collect()
            } else {
                steps
            };
            for (span, message) in shown {
                diagnostic = diagnostic.via(*span, message.clone());
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// Where an operator stands between its operands; none if they do not stand in one text.
    pub(crate) fn operator_span(&self, left: Span, right: Span, sign: &str) -> Option<Span> {
        if left.expansion != ExpansionId::ROOT
            || right.expansion != ExpansionId::ROOT
            || left.end > right.start
        {
            return None;
        }
        let gap = Span { start: left.end, end: right.start, ..left };
        let text = self.sources.text(gap);
        let at = text.find(sign)? as u32;
        let mut length = sign.len() as u32;
        // `a += b`
        if text[at as usize + sign.len()..].starts_with('=') {
            length += 1;
        }
        let start = BytePos(gap.start.0 + at);
        Some(Span { start, end: BytePos(start.0 + length), ..left })
    }

    /// A mistake at an operator, with what its operands are.
    pub(crate) fn at_operator(
        &self,
        code: &'static Code,
        sign: &str,
        operands: [(Span, TypeId); 2],
        span: Span,
        message: String,
    ) -> Diagnostic {
        let [(left, x), (right, y)] = operands;
        match self.operator_span(left, right, sign) {
            Some(at) => Diagnostic::new(code, at, message)
                .with_label(left, format!("is `{}`", self.show_type(x)))
                .with_label(right, format!("is `{}`", self.show_type(y))),
            None => Diagnostic::new(code, span, message),
        }
    }

    /// The name that was probably meant, by edit distance; of several, the first.
    ///
    /// Two letters are close to too many names for a guess to be of use.
    pub(crate) fn closest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
        let length = wanted.chars().count();
        let mut best: Option<(usize, &str)> = None;
        for name in names {
            let limit = match length.min(name.chars().count()) {
                0..=2 => 0,
                3..=5 => 1,
                6..=9 => 2,
                _ => 3,
            };
            let distance =
                if name.eq_ignore_ascii_case(wanted) { 0 } else { edit_distance(wanted, name, limit) };
            if distance <= limit && best.is_none_or(|(other, _)| distance < other) {
                best = Some((distance, name));
            }
        }
        best.map(|(_, name)| name)
    }
}

/// Insertions, deletions, changes and swaps between two words; more than `limit` means far.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut cost = (previous[j] + usize::from(x != y)).min(previous[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut previous, row);
    }
    previous[b.len()]
}
