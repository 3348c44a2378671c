//! Where instructions come from: spans of the source as files, lines and columns of AIR's debug information.
//!
//! What a macro produced stands where the macro is used, as debuggers want it.

use std::sync::Arc;

use mw_air::{DebugFile, DebugInfo, DebugLocation, LocationId, Subprogram, SubprogramId};
use mw_msl::hir;
use mw_source::{FileId, SourceMap, Span};
use rustc_hash::FxHashMap;

/// The debug information of a module under construction.
pub(crate) struct DebugLowering<'p> {
    sources: &'p SourceMap,
    info: DebugInfo,
    files: FxHashMap<FileId, u32>,
    locations: FxHashMap<(SubprogramId, Span), LocationId>,
    /// Functions once more, for what of them stands in an included file.
    elsewhere: FxHashMap<(SubprogramId, u32), SubprogramId>,
}

impl<'p> DebugLowering<'p> {
    pub(crate) fn new(sources: &'p SourceMap, is_emitted: bool) -> Self {
        let mut debug = Self {
            sources,
            info: DebugInfo { is_emitted, ..DebugInfo::default() },
            files: FxHashMap::default(),
            locations: FxHashMap::default(),
            elsewhere: FxHashMap::default(),
        };
        // The user's file comes first, whatever the first function.
        let main = sources.files().find(|(_, file)| !file.is_builtin).or_else(|| sources.files().next());
        if let Some((id, _)) = main {
            debug.file(id);
        }
        debug
    }

    pub(crate) fn finish(self) -> DebugInfo {
        self.info
    }

    fn file(&mut self, id: FileId) -> u32 {
        if let Some(known) = self.files.get(&id) {
            return *known;
        }
        let name = Arc::clone(&self.sources.file(id).name);
        self.info.files.push(DebugFile { name, directory: "".into() });
        let index = self.info.files.len() as u32 - 1;
        self.files.insert(id, index);
        index
    }

    /// Notes a function; nothing if there is no file at all.
    pub(crate) fn subprogram(
        &mut self,
        function: &hir::Function,
        linkage_name: &Arc<str>,
    ) -> Option<SubprogramId> {
        self.sources.files().next()?;
        let span = self.sources.written(function.span);
        let file = self.file(self.sources.file_at(span.start));
        let line = self.sources.line_column(span.start).line;
        self.info.subprograms.push(Subprogram {
            name: function.name.as_str().into(),
            linkage_name: Arc::clone(linkage_name),
            file,
            line,
        });
        Some(SubprogramId::new(self.info.subprograms.len() - 1))
    }

    /// The position of a span in a function.
    pub(crate) fn location(&mut self, scope: SubprogramId, span: Span) -> LocationId {
        if let Some(known) = self.locations.get(&(scope, span)) {
            return *known;
        }
        let written = self.sources.written(span);
        let file = self.file(self.sources.file_at(written.start));
        let scope_in_file = self.scope_in_file(scope, file);
        let start = self.sources.line_column(written.start);
        let end = self.sources.line_column(written.end);
        let id = self.info.add_location(DebugLocation {
            line: start.line,
            column: start.column,
            end: (written.end > written.start).then_some((end.line, end.column)),
            scope: scope_in_file,
            inlined_at: None,
        });
        self.locations.insert((scope, span), id);
        id
    }

    /// The function, for positions in this file. A body may include a file: its lines are that file's. LLVM wants
    /// one scope for each function, so text that is for LLVM keeps the function's own file.
    fn scope_in_file(&mut self, scope: SubprogramId, file: u32) -> SubprogramId {
        let subprogram = &self.info.subprograms[scope.index()];
        if subprogram.file == file || self.info.is_emitted {
            return scope;
        }
        if let Some(known) = self.elsewhere.get(&(scope, file)) {
            return *known;
        }
        self.info.subprograms.push(Subprogram { file, ..subprogram.clone() });
        let id = SubprogramId::new(self.info.subprograms.len() - 1);
        self.elsewhere.insert((scope, file), id);
        id
    }
}
