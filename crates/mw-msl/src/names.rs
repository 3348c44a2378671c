//! Interned identifiers.

use rustc_hash::FxHashMap;

/// An identifier of one compilation's [`Interner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub u32);

/// The identifiers of one compilation, each stored once.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    texts: Vec<Box<str>>,
    names: FxHashMap<Box<str>, Name>,
}

impl Interner {
    /// The name for a text, the same for equal texts.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return *name;
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text.into());
        self.names.insert(text.into(), name);
        name
    }

    /// The name for a text that was interned before.
    pub fn get(&self, text: &str) -> Option<Name> {
        self.names.get(text).copied()
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }
}
