//! Debug information: which line an instruction comes from. What else there is of it is passed over.

use std::sync::Arc;

use mw_air::{DebugFile, DebugInfo, DebugLocation, LocationId, Subprogram, SubprogramId};
use rustc_hash::FxHashMap;

/// A node of debug information that is kept. References are metadata numbers.
#[derive(Debug, Clone)]
pub(super) enum DebugNode {
    File {
        name: Arc<str>,
        directory: Arc<str>,
    },
    Subprogram {
        name: Arc<str>,
        linkage_name: Arc<str>,
        file: Option<u64>,
        line: u32,
    },
    /// A lexical block: what counts is what it stands in.
    Block {
        scope: Option<u64>,
    },
    Location {
        line: u32,
        column: u32,
        scope: u64,
        inlined_at: Option<u64>,
    },
}

/// A position as a record of a function body says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Spot {
    pub(super) line: u32,
    pub(super) column: u32,
    /// Metadata number of the scope.
    pub(super) scope: u64,
    /// Metadata number of the position that it is inlined at.
    pub(super) inlined_at: Option<u64>,
}

/// Scopes, and calls inlined into each other, may nest this deep.
const MAX_NESTING: usize = 64;

/// What was put into the module's table so far, by metadata number.
#[derive(Debug, Default)]
pub(super) struct DebugReader {
    files: FxHashMap<u64, u32>,
    subprograms: FxHashMap<u64, SubprogramId>,
    spots: FxHashMap<Spot, LocationId>,
}

/// Finds nodes by number.
pub(super) type Nodes<'n> = &'n dyn Fn(u64) -> Option<DebugNode>;

impl DebugReader {
    /// Forgets what belongs to a function: its numbers, from `length` on, come again in the next.
    pub(super) fn truncate(&mut self, length: usize) {
        let stays = |number: u64| number < length as u64;
        self.files.retain(|number, _| stays(*number));
        self.subprograms.retain(|number, _| stays(*number));
        self.spots.retain(|spot, _| stays(spot.scope) && spot.inlined_at.is_none_or(stays));
    }

    /// The position of a spot; `None` if it stands in no function.
    pub(super) fn location(
        &mut self,
        spot: Spot,
        nodes: Nodes<'_>,
        info: &mut DebugInfo,
    ) -> Option<LocationId> {
        // From the innermost to the outermost: the outer ones come first in the table.
        let mut chain = vec![spot];
        while let Some(outer) = chain.last().and_then(|spot| spot.inlined_at) {
            if chain.len() > MAX_NESTING {
                return None;
            }
            let Some(DebugNode::Location { line, column, scope, inlined_at }) = nodes(outer) else { break };
            chain.push(Spot { line, column, scope, inlined_at });
        }
        let mut outer = None;
        for spot in chain.into_iter().rev() {
            if let Some(known) = self.spots.get(&spot) {
                outer = Some(*known);
                continue;
            }
            let scope = self.scope(spot.scope, nodes, info)?;
            let Spot { line, column, .. } = spot;
            let id = info.add_location(DebugLocation { line, column, end: None, scope, inlined_at: outer });
            self.spots.insert(spot, id);
            outer = Some(id);
        }
        outer
    }

    /// The function around a scope.
    fn scope(&mut self, mut number: u64, nodes: Nodes<'_>, info: &mut DebugInfo) -> Option<SubprogramId> {
        for _ in 0..MAX_NESTING {
            match nodes(number)? {
                DebugNode::Block { scope } => number = scope?,
                DebugNode::Subprogram { .. } => return self.subprogram(number, nodes, info),
                DebugNode::File { .. } | DebugNode::Location { .. } => return None,
            }
        }
        None
    }

    /// The function of a number.
    pub(super) fn subprogram(
        &mut self,
        number: u64,
        nodes: Nodes<'_>,
        info: &mut DebugInfo,
    ) -> Option<SubprogramId> {
        if let Some(known) = self.subprograms.get(&number) {
            return Some(*known);
        }
        let Some(DebugNode::Subprogram { name, linkage_name, file, line }) = nodes(number) else {
            return None;
        };
        let file = self.file(file, nodes, info);
        info.subprograms.push(Subprogram { name, linkage_name, file, line });
        let id = SubprogramId::new(info.subprograms.len() - 1);
        self.subprograms.insert(number, id);
        Some(id)
    }

    fn file(&mut self, number: Option<u64>, nodes: Nodes<'_>, info: &mut DebugInfo) -> u32 {
        let key = number.unwrap_or(u64::MAX);
        if let Some(known) = self.files.get(&key) {
            return *known;
        }
        let (name, directory) = match number.and_then(nodes) {
            Some(DebugNode::File { name, directory }) => (name, directory),
            _ => ("".into(), "".into()),
        };
        info.files.push(DebugFile { name, directory });
        let index = info.files.len() as u32 - 1;
        self.files.insert(key, index);
        index
    }
}
