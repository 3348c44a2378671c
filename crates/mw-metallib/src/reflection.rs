//! What a module says about its entry points.

use mw_air::{Constant, MdOperand, Module};

use crate::container::FunctionKind;
use crate::library::ModuleFunction;

/// Lists of entry points and what they hold.
const ENTRY_LISTS: [(&str, FunctionKind); 8] = [
    ("air.vertex", FunctionKind::Vertex),
    ("air.fragment", FunctionKind::Fragment),
    ("air.kernel", FunctionKind::Kernel),
    ("air.visible", FunctionKind::Visible),
    ("air.extern", FunctionKind::Extern),
    ("air.intersection", FunctionKind::Intersection),
    ("air.mesh", FunctionKind::Mesh),
    ("air.object", FunctionKind::Object),
];

/// The entry points that a plain module lists in its metadata.
pub(crate) fn entry_points(module: &Module) -> Vec<ModuleFunction> {
    let air_version = version(module, "air.version", 0);
    // The language's name stands first.
    let language_version = version(module, "air.language_version", 1);
    let mut functions = Vec::new();
    for (list, kind) in ENTRY_LISTS {
        for &node in module.metadata.named(list) {
            if let Some(MdOperand::Value(value)) = module.metadata.node(node).operands.first()
                && let Constant::Function(id) = value.value
            {
                let name = module.function(id).name.to_string();
                functions.push(ModuleFunction { name, kind, air_version, language_version });
            }
        }
    }
    functions
}

/// Major and minor version in the first node of a named list, from operand `first` on.
fn version(module: &Module, list: &str, first: usize) -> (u16, u16) {
    let number = |index: usize| -> Option<u16> {
        let node = *module.metadata.named(list).first()?;
        match module.metadata.node(node).operands.get(first + index)? {
            MdOperand::Value(value) => u16::try_from(value.as_int()?).ok(),
            MdOperand::Null | MdOperand::String(_) | MdOperand::Node(_) => None,
        }
    };
    (number(0).unwrap_or(0), number(1).unwrap_or(0))
}
