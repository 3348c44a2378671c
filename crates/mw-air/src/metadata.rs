//! Metadata: nodes that AIR's schema, alias scopes and loop hints are written in.

use std::sync::Arc;

use crate::{MdId, TypedConstant};

/// An operand of a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MdOperand {
    /// Absent.
    Null,
    /// String.
    String(Arc<str>),
    /// Another node.
    Node(MdId),
    /// A constant, which may be a global or a function.
    Value(TypedConstant),
}

/// A node: `!{…}` or `distinct !{…}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MdNode {
    /// Equal nodes are not merged (alias scopes, loops refer to themselves).
    pub distinct: bool,
    /// Operands.
    pub operands: Vec<MdOperand>,
}

/// `!air.kernel = !{!1, !2}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedMetadata {
    /// Name without the `!`.
    pub name: Arc<str>,
    /// Nodes in order.
    pub nodes: Vec<MdId>,
}

/// All metadata of a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Metadata {
    /// Nodes; [`MdId`] indexes them.
    pub nodes: Vec<MdNode>,
    /// Named lists.
    pub named: Vec<NamedMetadata>,
}

impl Metadata {
    /// One node.
    pub fn node(&self, id: MdId) -> &MdNode {
        &self.nodes[id.index()]
    }

    /// Appends a node.
    pub fn add(&mut self, node: MdNode) -> MdId {
        self.nodes.push(node);
        MdId::new(self.nodes.len() - 1)
    }

    /// Nodes of the named list `name`; empty when there is none.
    pub fn named(&self, name: &str) -> &[MdId] {
        self.named.iter().find(|named| &*named.name == name).map_or(&[], |named| &named.nodes)
    }
}
