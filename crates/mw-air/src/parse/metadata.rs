//! Metadata.

use std::sync::Arc;

use super::lexer::Token;
use super::{Parsed, Parser, describe};
use crate::{MdId, MdNode, MdOperand, NamedMetadata};

impl Parser<'_> {
    /// The node with a number; it may be defined later.
    fn node(&mut self, number: u32) -> MdId {
        let metadata = &mut self.module.metadata;
        let offset = self.offset;
        self.nodes
            .entry(number)
            .or_insert_with(|| {
                let id = metadata.add(MdNode { distinct: false, operands: Vec::new() });
                (id, Some(offset))
            })
            .0
    }

    /// `!7 = [distinct] !{…}`
    pub(super) fn node_definition(&mut self, number: u32) -> Parsed<()> {
        let offset = self.offset;
        let id = self.node(number);
        self.advance()?;
        match self.nodes.get_mut(&number) {
            Some((_, undefined @ Some(_))) => *undefined = None,
            _ => return Self::error_at(offset, format!("`!{number}` is defined twice")),
        }
        self.expect_punct(b'=')?;
        let is_distinct = self.eat_word("distinct")?;
        if matches!(self.token, Token::MetadataName(_)) {
            return self.debug_definition(number);
        }
        let node = MdNode { distinct: is_distinct, ..self.node_body()? };
        self.module.metadata.nodes[id.index()] = node;
        Ok(())
    }

    /// `[distinct] !{…}`
    pub(super) fn node_body(&mut self) -> Parsed<MdNode> {
        let distinct = self.eat_word("distinct")?;
        match &self.token {
            Token::Bang => {
                self.advance()?;
            }
            Token::MetadataName(name) => {
                return self.error(format!("debug metadata such as `!{name}` stands on a line of its own"));
            }
            other => return self.error(format!("expected `!{{`, found {}", describe(other))),
        }
        self.expect_punct(b'{')?;
        let mut operands = Vec::new();
        while !self.is_punct(b'}') {
            operands.push(self.operand()?);
            if !self.eat_punct(b',')? {
                break;
            }
        }
        self.expect_punct(b'}')?;
        Ok(MdNode { distinct, operands })
    }

    fn operand(&mut self) -> Parsed<MdOperand> {
        match self.token.clone() {
            Token::Word("null") => {
                self.advance()?;
                Ok(MdOperand::Null)
            }
            Token::MetadataString(text) => {
                self.advance()?;
                Ok(MdOperand::String(text.as_ref().into()))
            }
            Token::Node(_) | Token::Bang | Token::MetadataName(_) | Token::Word("distinct") => {
                Ok(MdOperand::Node(self.node_reference()?))
            }
            _ => Ok(MdOperand::Value(self.typed_constant()?)),
        }
    }

    /// `!7`, or a node written out.
    fn node_reference(&mut self) -> Parsed<MdId> {
        if let Token::Node(number) = self.token {
            let id = self.node(number);
            self.advance()?;
            return Ok(id);
        }
        let node = self.deeper(Self::node_body)?;
        Ok(self.module.metadata.add(node))
    }

    /// `!name = !{!1, !2}`
    pub(super) fn named_metadata(&mut self, name: &str) -> Parsed<()> {
        self.advance()?;
        self.expect_punct(b'=')?;
        if !matches!(self.token, Token::Bang) {
            return self.unexpected("`!{`");
        }
        self.advance()?;
        self.expect_punct(b'{')?;
        let mut nodes = Vec::new();
        while !self.is_punct(b'}') {
            nodes.push(self.node_reference()?);
            if !self.eat_punct(b',')? {
                break;
            }
        }
        self.expect_punct(b'}')?;
        self.module.metadata.named.push(NamedMetadata { name: name.into(), nodes });
        Ok(())
    }

    /// One attachment, `!kind !7`, if one stands here.
    pub(super) fn attachment(&mut self, attachments: &mut Vec<(Arc<str>, MdId)>) -> Parsed<bool> {
        let Token::MetadataName(name) = &self.token else { return Ok(false) };
        let known = self.metadata_kinds.get(&**name).cloned();
        let kind = known.unwrap_or_else(|| {
            let kind: Arc<str> = (&**name).into();
            self.metadata_kinds.insert(name.to_string(), Arc::clone(&kind));
            kind
        });
        self.advance()?;
        if &*kind == "dbg" {
            self.debug_attachment()?;
            return Ok(true);
        }
        let node = self.node_reference()?;
        attachments.push((kind, node));
        Ok(true)
    }

    /// Every node that is referred to must be there.
    pub(super) fn check_nodes(&self) -> Parsed<()> {
        let undefined =
            self.nodes.iter().filter_map(|(number, (_, offset))| Some(((*offset)?, *number))).min();
        match undefined {
            Some((offset, number)) => Self::error_at(offset, format!("`!{number}` is not defined")),
            None => Ok(()),
        }
    }
}
