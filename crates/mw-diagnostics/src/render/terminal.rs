//! Diagnostics for people: the line, what is wrong there, and what to write.

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use mw_source::{SourceMap, Span};

use super::place::{place, trail};
use crate::{Diagnostic, Severity};

/// How the text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// With ANSI colours.
    pub color: bool,
    /// Columns.
    pub width: usize,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { color: false, width: 100 }
    }
}

/// Diagnostics as text with the lines that they are about, in the order given, an empty line between them.
pub fn terminal(diagnostics: &[Diagnostic], map: &SourceMap, layout: Terminal) -> String {
    let renderer = if layout.color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(layout.width);
    let mut text = String::new();
    for diagnostic in diagnostics {
        let code = diagnostic.code.to_string();
        let groups = groups(diagnostic, &code, map);
        text.push_str(&renderer.render(&groups));
        text.push_str("\n\n");
    }
    if !text.is_empty() {
        text.pop();
    }
    text
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// A snippet of one file with its annotations.
type Shown<'m> = Snippet<'m, annotate_snippets::Annotation<'m>>;

fn groups<'m>(diagnostic: &'m Diagnostic, code: &'m str, map: &'m SourceMap) -> Vec<Group<'m>> {
    let trail = trail(map, diagnostic);
    let title = level(diagnostic.severity).primary_title(diagnostic.message.as_str()).id(code);
    let mut group = Group::with_title(title);
    // What no text of the user is about, such as a kernel that was asked for and is not there, has no place.
    let own = place(map, trail.primary.0).filter(|own| !own.file.is_builtin || !own.range.is_empty());
    if let Some(own) = own {
        let text = trail.primary.1;
        let annotation = AnnotationKind::Primary.span(own.range.clone());
        let annotation = if text.is_empty() { annotation } else { annotation.label(text) };
        let mut snippet: Shown<'m> =
            Snippet::source(&*own.file.text).path(&*own.file.name).annotation(annotation);
        let mut others: Vec<Shown<'m>> = Vec::new();
        for label in &diagnostic.labels {
            let Some(other) = place(map, map.written(label.span)) else { continue };
            // The same place twice would be drawn on top of itself.
            let annotation = AnnotationKind::Context.span(other.range.clone());
            let annotation =
                if label.text.is_empty() { annotation } else { annotation.label(label.text.as_str()) };
            if std::ptr::eq(other.file, own.file) {
                snippet = snippet.annotation(annotation);
            } else {
                others
                    .push(Snippet::source(&*other.file.text).path(&*other.file.name).annotation(annotation));
            }
        }
        group = group.element(snippet);
        group = group.elements(others);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    let fix = diagnostic.fix.as_ref().filter(|fix| is_plain(map, fix.span));
    let mut helps = diagnostic.help.iter();
    // With a fix, the first help is its title.
    let fix_title = if fix.is_some() { helps.next() } else { None };
    for help in helps {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let mut groups = vec![group];
    for (span, message) in trail.steps {
        let Some(step) = place(map, span) else { continue };
        let annotation = AnnotationKind::Primary.span(step.range.clone());
        groups.push(
            Level::NOTE
                .secondary_title(message)
                .element(Snippet::source(&*step.file.text).path(&*step.file.name).annotation(annotation)),
        );
    }
    if let Some(fix) = fix
        && let Some(own) = place(map, fix.span)
    {
        let title = match fix_title {
            Some(help) => help.clone(),
            None => format!("write `{}`", fix.replacement),
        };
        groups.push(
            Level::HELP.secondary_title(title).element(
                Snippet::source(&*own.file.text)
                    .path(&*own.file.name)
                    .patch(Patch::new(own.range, fix.replacement.as_str())),
            ),
        );
    }
    groups
}

/// A fix is shown only in text that the user wrote there.
fn is_plain(map: &SourceMap, span: Span) -> bool {
    map.expansion(span.expansion).is_none() && !map.is_builtin(span)
}

#[cfg(test)]
mod tests {
    use super::{Terminal, terminal};
    use crate::Diagnostic;
    use crate::registry::semantics::ADDRESS_SPACE_MISMATCH;
    use crate::registry::syntax::EXPECTED_TOKEN;
    use mw_source::{BytePos, Expansion, SourceMap, Span};

    fn at(map: &SourceMap, needle: &str) -> Span {
        for (_, file) in map.files() {
            if let Some(start) = file.text.find(needle) {
                let start = file.start.0 + start as u32;
                return Span::new(BytePos(start), BytePos(start + needle.len() as u32));
            }
        }
        panic!("{needle} is in no file")
    }

    #[test]
    fn a_mistake_shows_its_line_label_note_and_help() {
        let mut map = SourceMap::new();
        map.add("assign.metal", "kernel void k() {\n  t = a;\n}\n", false).expect("small");
        let diagnostic = Diagnostic::new(
            &ADDRESS_SPACE_MISMATCH,
            at(&map, "a;").to(at(&map, "a;")),
            "cannot convert `device float *` to `threadgroup float *`",
        )
        .label("points to `device` memory")
        .with_label(at(&map, "t ="), "points to `threadgroup` memory")
        .note("pointers of different address spaces never convert (MSL spec, \"Address Spaces\")")
        .help("copy the value: `*t = *a;`");
        let text = terminal(&[diagnostic], &map, Terminal::default());
        let expected = "\
error[MSL0231]: cannot convert `device float *` to `threadgroup float *`
 --> assign.metal:2:7
  |
2 |   t = a;
  |   --- ^^ points to `device` memory
  |   |
  |   points to `threadgroup` memory
  |
  = note: pointers of different address spaces never convert (MSL spec, \"Address Spaces\")
  = help: copy the value: `*t = *a;`
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_fix_is_shown_as_an_edit() {
        let mut map = SourceMap::new();
        map.add("a.metal", "int x = 1\n", false).expect("small");
        let one = at(&map, "1");
        let diagnostic = Diagnostic::new(&EXPECTED_TOKEN, one, "expected `;`").with_fix(one.after(), ";");
        let text = terminal(&[diagnostic], &map, Terminal::default());
        assert!(text.contains("help: write `;`\n"), "{text}");
        assert!(text.contains("int x = 1;"), "{text}");
    }

    #[test]
    fn the_users_line_comes_before_the_macro() {
        let mut map = SourceMap::new();
        map.add("a.metal", "#define F(x) x +\n\nint y = F(1);\n", false).expect("small");
        let call = Expansion { call_site: at(&map, "F(1)"), definition: at(&map, "F") };
        let expansion = map.add_expansion(call);
        let plus = Span { expansion, ..at(&map, "+") };
        let diagnostic = Diagnostic::new(&EXPECTED_TOKEN, plus, "expected a value").label("after this");
        let text = terminal(&[diagnostic], &map, Terminal::default());
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("-->")).collect();
        assert_eq!(lines, [" --> a.metal:3:9", " --> a.metal:1:16"], "{text}");
        assert!(text.contains("note: in the macro `F`"), "{text}");
    }
}
