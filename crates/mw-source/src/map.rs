//! The files of a compilation and the way from positions to lines.

use std::sync::{Arc, OnceLock};

use crate::{BytePos, Expansion, ExpansionId, Span};

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A line and a column, both counted from one; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from one.
    pub line: u32,
    /// Column in characters, from one.
    pub column: u32,
}

/// One file's name and text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// As the user named it.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
    /// Position of its first byte.
    pub start: BytePos,
    /// Shipped with the compiler: diagnostics prefer a place in the user's own files.
    pub is_builtin: bool,
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// Offsets of the first bytes of its lines.
    pub fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect()
        })
    }

    /// The position one past its last byte.
    pub fn end(&self) -> BytePos {
        BytePos(self.start.0 + self.text.len() as u32)
    }
}

/// All files and expansions of a compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; `None` if the four gigabytes of positions are used up.
    pub fn add(
        &mut self,
        name: impl Into<Arc<str>>,
        text: impl Into<Arc<str>>,
        is_builtin: bool,
    ) -> Option<FileId> {
        let (name, text) = (name.into(), text.into());
        // One position stays free between files, so that the end of one is not the start of the next.
        let start = self.files.last().map_or(0, |last| last.end().0 + 1);
        let end = u64::from(start) + text.len() as u64 + 1;
        if end > u64::from(u32::MAX) {
            return None;
        }
        self.files.push(SourceFile {
            name,
            text,
            start: BytePos(start),
            is_builtin,
            line_starts: OnceLock::new(),
        });
        Some(FileId(self.files.len() as u32 - 1))
    }

    /// The file with this handle.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files with their handles, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(at, file)| (FileId(at as u32), file))
    }

    /// The file that holds a position.
    pub fn file_at(&self, position: BytePos) -> FileId {
        let after = self.files.partition_point(|file| file.start <= position);
        FileId(after.saturating_sub(1) as u32)
    }

    /// Line and column of a position; the first line of the first file if there is no such position.
    pub fn line_column(&self, position: BytePos) -> LineColumn {
        let Some(file) = self.files.get(self.file_at(position).0 as usize) else {
            return LineColumn { line: 1, column: 1 };
        };
        let offset = position.0.saturating_sub(file.start.0).min(file.text.len() as u32);
        let line_starts = file.line_starts();
        let line = line_starts.partition_point(|start| *start <= offset) - 1;
        let before = file.text.get(line_starts[line] as usize..offset as usize).unwrap_or("");
        LineColumn { line: line as u32 + 1, column: before.chars().count() as u32 + 1 }
    }

    /// The written text of a span.
    pub fn text(&self, span: Span) -> &str {
        let Some(file) = self.files.get(self.file_at(span.start).0 as usize) else { return "" };
        let (start, end) =
            (span.start.0.saturating_sub(file.start.0), span.end.0.saturating_sub(file.start.0));
        file.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// Notes a macro use; spans of its tokens carry the handle.
    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32)
    }

    /// The expansion behind a handle; `None` for [`ExpansionId::ROOT`].
    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        self.expansions.get((id.0 as usize).checked_sub(1)?)
    }

    /// Where the user wrote what became `span`: the outermost macro use, or the span itself.
    pub fn written(&self, mut span: Span) -> Span {
        while let Some(expansion) = self.expansion(span.expansion) {
            span = expansion.call_site;
        }
        span
    }

    /// Does the written text of a span lie in a file that ships with the compiler?
    pub fn is_builtin(&self, span: Span) -> bool {
        self.files.get(self.file_at(self.written(span).start).0 as usize).is_some_and(|file| file.is_builtin)
    }
}

#[cfg(test)]
mod tests {
    use super::SourceMap;
    use crate::{BytePos, Expansion, Span};

    #[test]
    fn positions_of_two_files_do_not_meet() {
        let mut map = SourceMap::new();
        let first = map.add("a.metal", "ab\nc", false).expect("small");
        let second = map.add("b.metal", "xyz", false).expect("small");
        assert_eq!(map.file_at(map.file(first).end()), first);
        assert_eq!(map.file_at(map.file(second).start), second);
        let at = map.line_column(BytePos(3));
        assert_eq!((at.line, at.column), (2, 1));
        assert_eq!(map.text(Span::new(BytePos(5), BytePos(7))), "xy");
    }

    #[test]
    fn a_token_of_a_macro_leads_to_the_outermost_use() {
        let mut map = SourceMap::new();
        map.add("a.metal", "#define A 1\n#define B A\nB\n", false).expect("small");
        let at = |start, end| Span::new(BytePos(start), BytePos(end));
        let outer = map.add_expansion(Expansion { call_site: at(24, 25), definition: at(20, 21) });
        let call_site = Span { expansion: outer, ..at(22, 23) };
        let inner = map.add_expansion(Expansion { call_site, definition: at(8, 9) });
        let one = Span { expansion: inner, ..at(10, 11) };
        assert_eq!(map.text(one), "1");
        assert_eq!(map.written(one), at(24, 25));
    }
}
