//! Debug information: files, functions and positions; what else LLVM writes there is read and dropped.

use rustc_hash::FxHashMap;

use super::lexer::{Name, Token};
use super::{Parsed, Parser, describe};
use crate::{
    DebugFile, DebugInfo, DebugLocation, LocationId, MdId, MdOperand, Module, Subprogram, SubprogramId,
};

/// A node of debug information whose references are still numbers.
#[derive(Clone, Debug, Default)]
struct Node {
    kind: String,
    numbers: FxHashMap<String, u64>,
    texts: FxHashMap<String, String>,
    /// References to other nodes.
    nodes: FxHashMap<String, u32>,
}

/// What was read of debug information.
#[derive(Debug, Default)]
pub(super) struct DebugNodes {
    nodes: FxHashMap<u32, Node>,
    /// Handles that were given for `!dbg !7`, with the offset of the first mention.
    locations: FxHashMap<u32, LocationId>,
    subprograms: FxHashMap<u32, SubprogramId>,
    /// By handle: the node and where it was mentioned.
    location_numbers: Vec<(u32, usize)>,
    subprogram_numbers: Vec<(u32, usize)>,
    files: FxHashMap<u32, u32>,
    /// Node of a `!dbg` that was just read.
    attached: Option<(u32, usize)>,
}

/// Scopes may nest this deep.
const MAX_SCOPES: usize = 1 << 12;

impl Parser<'_> {
    /// `!DIKind(name: value, …)`, with the token at the name.
    pub(super) fn debug_definition(&mut self, number: u32) -> Parsed<()> {
        let node = self.debug_fields()?;
        self.debug.nodes.insert(number, node);
        Ok(())
    }

    fn debug_fields(&mut self) -> Parsed<Node> {
        let Token::MetadataName(kind) = &self.token else {
            return self.unexpected("a kind of debug metadata");
        };
        let mut node = Node { kind: kind.to_string(), ..Node::default() };
        self.advance()?;
        self.expect_punct(b'(')?;
        while !self.is_punct(b')') {
            // `!DIExpression(DW_OP_deref)` has operands without names.
            let name = match &self.token {
                Token::Label(Name::Text(name)) => {
                    let name = name.to_string();
                    self.advance()?;
                    name
                }
                _ => String::new(),
            };
            self.debug_value(name, &mut node)?;
            if !self.eat_punct(b',')? {
                break;
            }
        }
        self.expect_punct(b')')?;
        Ok(node)
    }

    fn debug_value(&mut self, name: String, node: &mut Node) -> Parsed<()> {
        match self.token.clone() {
            Token::Int(_, value) => {
                node.numbers.insert(name, value);
                self.advance()?;
            }
            Token::Str(text) => {
                node.texts.insert(name, text.into_owned());
                self.advance()?;
            }
            Token::Node(number) => {
                node.nodes.insert(name, number);
                self.advance()?;
            }
            Token::Word(_) => {
                self.advance()?;
                // Flags: `A | B`.
                while self.eat_punct(b'|')? {
                    self.advance()?;
                }
            }
            Token::MetadataName(_) => {
                self.deeper(Self::debug_fields)?;
            }
            Token::Bang => {
                self.deeper(Self::node_body)?;
            }
            Token::MetadataString(_) => {
                self.advance()?;
            }
            other => {
                return self.error(format!("expected a value of debug metadata, found {}", describe(&other)));
            }
        }
        Ok(())
    }

    /// Forgets what was attached to a variable: its debug information is not kept.
    pub(super) fn drop_attached(&mut self) {
        self.debug.attached = None;
    }

    /// Takes `!dbg !7`, of which the name has been read.
    pub(super) fn debug_attachment(&mut self) -> Parsed<()> {
        let Token::Node(number) = self.token else { return self.unexpected("the number of a node") };
        self.debug.attached = Some((number, self.offset));
        self.advance()?;
        Ok(())
    }

    /// The position that was attached to the instruction just read.
    pub(super) fn take_location(&mut self) -> Option<LocationId> {
        let (number, offset) = self.debug.attached.take()?;
        Some(self.debug.location(number, offset))
    }

    /// The function of the source that was attached to the function just read.
    pub(super) fn take_subprogram(&mut self) -> Option<SubprogramId> {
        let (number, offset) = self.debug.attached.take()?;
        Some(self.debug.subprogram(number, offset))
    }

    /// Puts everything that was mentioned into the module.
    pub(super) fn finish_debug(&mut self) -> Parsed<()> {
        if self.debug.nodes.is_empty() && self.debug.location_numbers.is_empty() {
            if let Some((number, offset)) = self.debug.subprogram_numbers.first() {
                return Self::error_at(*offset, format!("`!{number}` is no function of debug metadata"));
            }
            return Ok(());
        }
        self.drop_references();
        let mut info = DebugInfo { is_emitted: true, ..DebugInfo::default() };
        // The main file is the compile unit's.
        let mut units: Vec<u32> = (self.debug.nodes.iter())
            .filter(|(_, node)| node.kind == "DICompileUnit")
            .filter_map(|(number, node)| Some((*number, *node.nodes.get("file")?)))
            .collect::<std::collections::BTreeMap<u32, u32>>()
            .into_values()
            .collect();
        units.dedup();
        for file in units {
            self.debug.file(file, &mut info);
        }
        let mut index = 0;
        while let Some(&(number, offset)) = self.debug.location_numbers.get(index) {
            index += 1;
            let Some(node) = self.debug.nodes.get(&number).filter(|node| node.kind == "DILocation").cloned()
            else {
                return Self::error_at(offset, format!("`!{number}` is no `!DILocation`"));
            };
            let Some(scope) = self.debug.scope(&node) else {
                return Self::error_at(offset, format!("`!{number}` stands in no function"));
            };
            let narrow = |name: &str| {
                let value = node.numbers.get(name).copied().unwrap_or(0);
                u32::try_from(value).unwrap_or(0)
            };
            let location = DebugLocation {
                line: narrow("line"),
                column: narrow("column"),
                end: None,
                scope: self.debug.subprogram(scope, offset),
                inlined_at: node.nodes.get("inlinedAt").map(|at| self.debug.location(*at, offset)),
            };
            info.locations.push(location);
        }
        for index in 0..self.debug.subprogram_numbers.len() {
            let (number, offset) = self.debug.subprogram_numbers[index];
            let Some(node) =
                self.debug.nodes.get(&number).filter(|node| node.kind == "DISubprogram").cloned()
            else {
                return Self::error_at(offset, format!("`!{number}` is no `!DISubprogram`"));
            };
            let file = match node.nodes.get("file") {
                Some(file) => self.debug.file(*file, &mut info),
                None => self.debug.file(u32::MAX, &mut info),
            };
            let text = |name: &str| node.texts.get(name).map_or("", String::as_str);
            let name = text("name");
            let linkage_name =
                Some(text("linkageName")).filter(|linkage| !linkage.is_empty()).unwrap_or(name);
            let line = node.numbers.get("line").copied().unwrap_or(0);
            info.subprograms.push(Subprogram {
                name: name.into(),
                linkage_name: linkage_name.into(),
                file,
                line: u32::try_from(line).unwrap_or(0),
            });
        }
        self.module.debug = info;
        Ok(())
    }

    /// Ordinary nodes that list debug information (loops do) lose those operands.
    fn drop_references(&mut self) {
        let gone: Vec<MdId> =
            self.debug.nodes.keys().filter_map(|number| Some(self.nodes.get(number)?.0)).collect();
        let mut is_gone = vec![false; self.module.metadata.nodes.len()];
        for id in gone {
            is_gone[id.index()] = true;
        }
        let Module { metadata, .. } = &mut self.module;
        for node in &mut metadata.nodes {
            node.operands.retain(|operand| !matches!(operand, MdOperand::Node(id) if is_gone[id.index()]));
        }
        for named in &mut metadata.named {
            named.nodes.retain(|id| !is_gone[id.index()]);
        }
        metadata.named.retain(|named| &*named.name != "llvm.dbg.cu");
    }
}

impl DebugNodes {
    fn location(&mut self, number: u32, offset: usize) -> LocationId {
        let numbers = &mut self.location_numbers;
        *self.locations.entry(number).or_insert_with(|| {
            numbers.push((number, offset));
            LocationId::new(numbers.len() - 1)
        })
    }

    fn subprogram(&mut self, number: u32, offset: usize) -> SubprogramId {
        let numbers = &mut self.subprogram_numbers;
        *self.subprograms.entry(number).or_insert_with(|| {
            numbers.push((number, offset));
            SubprogramId::new(numbers.len() - 1)
        })
    }

    /// The function around a position: blocks are not kept.
    fn scope(&self, location: &Node) -> Option<u32> {
        let mut number = *location.nodes.get("scope")?;
        for _ in 0..MAX_SCOPES {
            let node = self.nodes.get(&number)?;
            match node.kind.as_str() {
                "DISubprogram" => return Some(number),
                "DILexicalBlock" | "DILexicalBlockFile" => number = *node.nodes.get("scope")?,
                _ => return None,
            }
        }
        None
    }

    fn file(&mut self, number: u32, info: &mut DebugInfo) -> u32 {
        if let Some(known) = self.files.get(&number) {
            return *known;
        }
        let text = |name: &str| {
            self.nodes.get(&number).and_then(|node| node.texts.get(name)).map_or("", String::as_str)
        };
        info.files.push(DebugFile { name: text("filename").into(), directory: text("directory").into() });
        let index = info.files.len() as u32 - 1;
        self.files.insert(number, index);
        index
    }
}
