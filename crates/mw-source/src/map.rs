//! The files of a compilation and the way from positions to lines.

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
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Position of its first byte.
    pub start: BytePos,
    /// Shipped with the compiler: diagnostics prefer a place in the user's own files.
    pub is_builtin: bool,
    line_starts: Vec<u32>,
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
        name: impl Into<String>,
        text: impl Into<String>,
        is_builtin: bool,
    ) -> Option<FileId> {
        let (name, text) = (name.into(), text.into());
        // One position stays free between files, so that the end of one is not the start of the next.
        let start = self.files.last().map_or(0, |last| last.start.0 + last.text.len() as u32 + 1);
        let end = u64::from(start) + text.len() as u64 + 1;
        if end > u64::from(u32::MAX) {
            return None;
        }
        let mut line_starts = vec![0];
        line_starts
            .extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1));
        self.files.push(SourceFile { name, text, start: BytePos(start), is_builtin, line_starts });
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

    /// Line and column of a position.
    pub fn line_column(&self, position: BytePos) -> LineColumn {
        let file = self.file(self.file_at(position));
        let offset = position.0.saturating_sub(file.start.0).min(file.text.len() as u32);
        let line = file.line_starts.partition_point(|start| *start <= offset) - 1;
        let before = file.text.get(file.line_starts[line] as usize..offset as usize).unwrap_or("");
        LineColumn { line: line as u32 + 1, column: before.chars().count() as u32 + 1 }
    }

    /// The written text of a span.
    pub fn text(&self, span: Span) -> &str {
        let file = self.file(self.file_at(span.start));
        let (start, end) = (span.start.0 - file.start.0, span.end.0.saturating_sub(file.start.0));
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
}
