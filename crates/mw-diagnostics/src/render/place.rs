//! Where a span is shown: which file, which bytes, which lines.

use std::ops::Range;

use mw_source::{SourceFile, SourceMap, Span};

/// A span as a range of bytes in its file.
pub(super) struct Place<'m> {
    pub(super) file: &'m SourceFile,
    pub(super) range: Range<usize>,
}

/// The place where the text of a span lies; `None` if the map has no such file.
pub(super) fn place(map: &SourceMap, span: Span) -> Option<Place<'_>> {
    map.files().next()?;
    let file = map.file(map.file_at(span.start));
    let clamp = |position: u32| {
        let mut at = (position.saturating_sub(file.start.0) as usize).min(file.text.len());
        while !file.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = clamp(span.start.0);
    Some(Place { file, range: start..clamp(span.end.0).max(start) })
}

/// A diagnostic's places, the user's own first.
pub(super) struct Trail {
    /// What the user wrote, with the text that belongs there.
    pub(super) primary: (Span, String),
    /// The steps from there to the place where the mistake was found, each with what it is.
    pub(super) steps: Vec<(Span, String)>,
}

/// Bound on the steps that are shown.
const STEPS: usize = 6;

/// Finds the user's own line, and the one chain that leads from it to the mistake.
pub(super) fn trail(map: &SourceMap, diagnostic: &crate::Diagnostic) -> Trail {
    let span = diagnostic.primary.span;
    let label = &diagnostic.primary.text;
    let written = map.written(span);
    let mut steps = Vec::new();
    // In a header of ours: the innermost step that the user wrote stands for it.
    if map.is_builtin(span)
        && let Some(at) = diagnostic.chain.iter().position(|step| !map.is_builtin(step.span))
    {
        let step = &diagnostic.chain[at];
        let text = if label.is_empty() { "found in the library".to_owned() } else { label.clone() };
        steps.push((written, text));
        steps.extend(outer_steps(map, &diagnostic.chain[at + 1..]));
        return Trail { primary: (map.written(step.span), step.message.clone()), steps };
    }
    macro_steps(map, span, &mut steps);
    steps.extend(outer_steps(map, &diagnostic.chain));
    if steps.len() > STEPS {
        let last = steps.len() - 1;
        let left_out = steps.len() - STEPS;
        steps.swap(STEPS - 1, last);
        steps.truncate(STEPS);
        steps[STEPS - 2].1 = format!("{} ({left_out} more steps between)", steps[STEPS - 2].1);
    }
    Trail { primary: (written, label.clone()), steps }
}

fn outer_steps(map: &SourceMap, chain: &[crate::ChainStep]) -> Vec<(Span, String)> {
    chain.iter().map(|step| (map.written(step.span), step.message.clone())).collect()
}

/// Where in the macros' definitions the text lies, from the outermost macro inwards.
fn macro_steps(map: &SourceMap, span: Span, steps: &mut Vec<(Span, String)>) {
    let mut inward = Vec::new();
    let mut inner = span;
    while let Some(expansion) = map.expansion(inner.expansion) {
        let name = map.text(expansion.definition);
        let shown = Span::new(inner.start, inner.end);
        if !map.is_builtin(shown) {
            inward.push((shown, format!("in the macro `{name}`")));
        }
        inner = expansion.call_site;
    }
    steps.extend(inward.into_iter().rev());
}
