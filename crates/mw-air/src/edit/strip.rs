//! Strip promises: metadata attachments and attributes that only say what the compiler believed.
//!
//! Alias scopes, ranges, loop hints, `noundef`, `dereferenceable`, `mustprogress`: an engine that checks a
//! kernel must not believe them, and one that runs a kernel may lose a loop to them. What decides meaning
//! stays: `convergent`, `byval`, `sret`, `zeroext`, string attributes such as `max-work-group-size`.

use std::sync::Arc;

use crate::{Attribute, Attributes, Function, Inst, InstId, MdId, Module};

/// Attributes without a value that are promises.
const PROMISES: &[&str] = &[
    "argmemonly",
    "inaccessiblemem_or_argmemonly",
    "inaccessiblememonly",
    "mustprogress",
    "noalias",
    "nocallback",
    "nocapture",
    "nocreateundeforpoison",
    "nofree",
    "nonnull",
    "norecurse",
    "nosync",
    "noundef",
    "nounwind",
    "readnone",
    "readonly",
    "returned",
    "speculatable",
    "willreturn",
    "writable",
    "writeonly",
];

/// Attributes with a value that are promises.
const VALUED_PROMISES: &[&str] =
    &["align", "captures", "dereferenceable", "dereferenceable_or_null", "memory", "nofpclass"];

/// Whether an attribute only says what the compiler believed.
pub fn is_promise(attribute: &Attribute) -> bool {
    match attribute {
        Attribute::Enum(name) => PROMISES.contains(&&**name),
        Attribute::Int(name, _) => VALUED_PROMISES.contains(&&**name),
        Attribute::String(..) | Attribute::Type(..) => false,
    }
}

/// Drops every promise, of attachments and of attributes.
pub fn strip_promises(module: &mut Module) {
    strip_attachments(module, |_| false);
    strip_attributes(module, |attribute| !is_promise(attribute));
}

/// Drops attachments of functions, instructions and terminators but those whose kind `keep` holds for.
pub fn strip_attachments(module: &mut Module, keep: impl Fn(&str) -> bool) {
    let strip = |attachments: &mut Vec<(Arc<str>, MdId)>| attachments.retain(|(kind, _)| keep(kind));
    for function in &mut module.functions {
        strip(&mut function.metadata);
        for block in &mut function.blocks {
            strip(&mut block.metadata);
        }
        for id in inst_ids(function) {
            strip(&mut function.inst_mut(id).metadata);
        }
    }
}

/// Drops attributes of functions and call sites but those that `keep` holds for.
pub fn strip_attributes(module: &mut Module, keep: impl Fn(&Attribute) -> bool) {
    let strip = |attributes: &mut Attributes| attributes.0.retain(&keep);
    let strip_all = |sets: &mut Vec<Attributes>| {
        sets.iter_mut().for_each(strip);
        if sets.iter().all(Attributes::is_empty) {
            sets.clear();
        }
    };
    for function in &mut module.functions {
        strip(&mut function.attrs);
        strip(&mut function.ret_attrs);
        strip_all(&mut function.param_attrs);
        for id in inst_ids(function) {
            if let Inst::Call(call) = &mut function.inst_mut(id).inst {
                strip(&mut call.attrs);
                strip(&mut call.ret_attrs);
                strip_all(&mut call.arg_attrs);
            }
        }
    }
}

fn inst_ids(function: &Function) -> impl Iterator<Item = InstId> + use<> {
    (0..function.inst_count()).map(InstId::new)
}
