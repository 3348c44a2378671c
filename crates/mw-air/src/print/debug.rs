//! Debug information: what LLVM wants to see around lines and columns.

use super::metadata::{MetadataNumbers, Numbered, push_node_number};
use super::{Printer, push_quoted, push_uint};
use crate::{Function, Inst, LocationId, SubprogramId};

/// Name of the compiler in compile units.
const PRODUCER: &str = "metalworking";

impl<'m> Printer<'m> {
    /// Gives the compile unit its number.
    pub(super) fn number_unit(&mut self) {
        let Some(numbers) = &mut self.numbers else { return };
        numbers.number_debug(Numbered::Unit);
        numbers.number_debug(Numbered::File(0));
    }

    /// Writes a function's attachment, and says whether its instructions have positions.
    ///
    /// LLVM refuses a function of which a call has none, or a position stands in another function.
    pub(super) fn subprogram(&mut self, function: &Function) {
        self.is_located = false;
        let Some(id) = function.subprogram.filter(|_| self.debug && self.can_be_located(function)) else {
            return;
        };
        self.is_located = true;
        self.out.push_str(" !dbg ");
        let number = self.number_subprogram(id);
        push_node_number(&mut self.out, number);
    }

    fn can_be_located(&self, function: &Function) -> bool {
        let debug = &self.module.debug;
        let is_own = |id: LocationId| {
            let mut at = debug.location(id);
            for _ in 0..=debug.locations.len() {
                match at {
                    Some(location) => match location.inlined_at {
                        Some(outer) => at = debug.location(outer),
                        None => return Some(location.scope) == function.subprogram,
                    },
                    None => return false,
                }
            }
            false
        };
        let known = function
            .subprogram
            .and_then(|id| debug.subprogram(id))
            .is_some_and(|subprogram| (subprogram.file as usize) < debug.files.len());
        known
            && function.blocks.iter().all(|block| {
                block.location.is_none_or(is_own)
                    && block.insts.iter().all(|id| {
                        id.index() < function.inst_count() && {
                            let data = function.inst(*id);
                            match data.location {
                                Some(location) => is_own(location),
                                None => !matches!(data.inst, Inst::Call(_)),
                            }
                        }
                    })
            })
    }

    /// Writes the position of an instruction.
    pub(super) fn location(&mut self, location: Option<LocationId>) {
        let (true, Some(id)) = (self.is_located, location) else { return };
        self.out.push_str(", !dbg ");
        let number = self.number_location(id);
        push_node_number(&mut self.out, number);
    }

    fn number_subprogram(&mut self, id: SubprogramId) -> Option<u32> {
        let file = self.module.debug.subprogram(id)?.file;
        let numbers = self.numbers.as_mut()?;
        let number = numbers.number_debug(Numbered::Subprogram(id)).0;
        numbers.number_debug(Numbered::File(file));
        Some(number)
    }

    fn number_location(&mut self, id: LocationId) -> Option<u32> {
        let mut first = None;
        let mut next = Some(id);
        while let Some(id) = next {
            let location = *self.module.debug.location(id)?;
            let (number, is_new) = self.numbers.as_mut()?.number_debug(Numbered::Location(id));
            first = first.or(Some(number));
            if !is_new {
                break;
            }
            self.number_subprogram(location.scope);
            next = location.inlined_at;
        }
        first
    }

    /// Writes what stands behind the equals sign.
    pub(super) fn debug_node(&mut self, numbers: &MetadataNumbers<'m>, item: Numbered) {
        let debug = &self.module.debug;
        match item {
            Numbered::Node(_) => {}
            Numbered::Unit => {
                self.out.push_str("distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: ");
                push_node_number(&mut self.out, numbers.of_debug(Numbered::File(0)));
                self.out.push_str(", producer: ");
                push_quoted(&mut self.out, PRODUCER);
                self.out.push_str(", isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly)");
            }
            Numbered::File(index) => {
                let file = debug.files.get(index as usize);
                let (name, directory) = file.map_or(("", ""), |file| (&*file.name, &*file.directory));
                self.out.push_str("!DIFile(filename: ");
                push_quoted(&mut self.out, name);
                self.out.push_str(", directory: ");
                push_quoted(&mut self.out, directory);
                self.out.push(')');
            }
            Numbered::Subprogram(id) => {
                let Some(subprogram) = debug.subprogram(id) else { return };
                self.out.push_str("distinct !DISubprogram(name: ");
                push_quoted(&mut self.out, &subprogram.name);
                if !subprogram.linkage_name.is_empty() && subprogram.linkage_name != subprogram.name {
                    self.out.push_str(", linkageName: ");
                    push_quoted(&mut self.out, &subprogram.linkage_name);
                }
                let file = numbers.of_debug(Numbered::File(subprogram.file));
                self.out.push_str(", scope: ");
                push_node_number(&mut self.out, file);
                self.out.push_str(", file: ");
                push_node_number(&mut self.out, file);
                self.out.push_str(", line: ");
                push_uint(&mut self.out, u64::from(subprogram.line));
                self.out.push_str(", type: !DISubroutineType(types: !{}), scopeLine: ");
                push_uint(&mut self.out, u64::from(subprogram.line));
                self.out.push_str(", spFlags: DISPFlagDefinition, unit: ");
                push_node_number(&mut self.out, numbers.of_debug(Numbered::Unit));
                self.out.push(')');
            }
            Numbered::Location(id) => {
                let Some(location) = debug.location(id) else { return };
                let outer = location.inlined_at;
                self.out.push_str("!DILocation(line: ");
                push_uint(&mut self.out, u64::from(location.line));
                if location.column != 0 {
                    self.out.push_str(", column: ");
                    // LLVM keeps 16 bits of it.
                    push_uint(&mut self.out, u64::from(location.column.min(0xffff)));
                }
                self.out.push_str(", scope: ");
                push_node_number(&mut self.out, numbers.of_debug(Numbered::Subprogram(location.scope)));
                if let Some(outer) = outer {
                    self.out.push_str(", inlinedAt: ");
                    push_node_number(&mut self.out, numbers.of_debug(Numbered::Location(outer)));
                }
                self.out.push(')');
            }
        }
    }
}
