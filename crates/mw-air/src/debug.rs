//! Debug information: which line of which file an instruction comes from.
//!
//! LLVM writes it as metadata of special shapes; here it is a small table beside the module, which costs an
//! instruction one number. A front-end fills it in any case, so that findings can name lines;
//! [`DebugInfo::is_emitted`] says whether it is part of the module's text too (`-g`). It has no meaning:
//! structural hashes leave it out, and it is not kept for types, variables and lexical blocks.

use std::sync::Arc;

use crate::{LocationId, Module, SubprogramId};

/// A source file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DebugFile {
    /// Name, relative to the folder or absolute.
    pub name: Arc<str>,
    /// Folder; may be empty.
    pub directory: Arc<str>,
}

/// A function of the source.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Subprogram {
    /// Name as written.
    pub name: Arc<str>,
    /// Name of the symbol.
    pub linkage_name: Arc<str>,
    /// Position in [`DebugInfo::files`].
    pub file: u32,
    /// Line, from one; 0 for none.
    pub line: u32,
}

/// A position in the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DebugLocation {
    /// Line, from one; 0 for code that no line asked for.
    pub line: u32,
    /// Column in characters, from one; 0 for none.
    pub column: u32,
    /// Line and column one past the last character of the expression, where that is known. It has no place in
    /// LLVM's text.
    pub end: Option<(u32, u32)>,
    /// The function that the text stands in.
    pub scope: SubprogramId,
    /// The call that the function was inlined for.
    pub inlined_at: Option<LocationId>,
}

/// All debug information of a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugInfo {
    /// It is printed with the module.
    pub is_emitted: bool,
    /// Files; the first is the main one.
    pub files: Vec<DebugFile>,
    /// Functions; [`SubprogramId`] indexes them.
    pub subprograms: Vec<Subprogram>,
    /// Positions; [`LocationId`] indexes them.
    pub locations: Vec<DebugLocation>,
}

impl DebugInfo {
    /// One position.
    pub fn location(&self, id: LocationId) -> Option<&DebugLocation> {
        self.locations.get(id.index())
    }

    /// One function.
    pub fn subprogram(&self, id: SubprogramId) -> Option<&Subprogram> {
        self.subprograms.get(id.index())
    }

    /// The file of a position.
    pub fn file_of(&self, location: &DebugLocation) -> Option<&DebugFile> {
        self.files.get(self.subprogram(location.scope)?.file as usize)
    }

    /// Appends a position.
    pub fn add_location(&mut self, location: DebugLocation) -> LocationId {
        self.locations.push(location);
        LocationId::new(self.locations.len() - 1)
    }

    /// A position as messages write it: `file:line:column`, `file:line` where no column is known.
    pub fn describe(&self, id: LocationId) -> Option<String> {
        let location = self.location(id).filter(|location| location.line != 0)?;
        let name = self.file_of(location).map_or("?", |file| &*file.name);
        Some(match location.column {
            0 => format!("{name}:{}", location.line),
            column => format!("{name}:{}:{column}", location.line),
        })
    }
}

impl Module {
    /// Forgets where everything comes from.
    pub fn strip_debug(&mut self) {
        self.debug = DebugInfo::default();
        for function in &mut self.functions {
            function.strip_debug();
        }
    }
}
