//! Attributes.

use super::lexer::Token;
use super::{Parsed, Parser};
use crate::print::{MEMORY_ACCESS, MEMORY_OTHER, MEMORY_PLACES};
use crate::{Attribute, Attributes};

/// LLVM's attributes without value, older spellings included.
const ENUM_ATTRIBUTES: &[&str] = &[
    "allocptr",
    "alwaysinline",
    "argmemonly",
    "builtin",
    "cold",
    "convergent",
    "coro_elide_safe",
    "coro_only_destroy_when_complete",
    "dead_on_return",
    "dead_on_unwind",
    "disable_sanitizer_instrumentation",
    "fn_ret_thunk_extern",
    "hot",
    "hybrid_patchable",
    "immarg",
    "inaccessiblemem_or_argmemonly",
    "inaccessiblememonly",
    "inlinehint",
    "inreg",
    "jumptable",
    "minsize",
    "mustprogress",
    "naked",
    "nest",
    "noalias",
    "nobuiltin",
    "nocallback",
    "nocapture",
    "nocf_check",
    "nocreateundeforpoison",
    "nodivergencesource",
    "noduplicate",
    "noext",
    "nofree",
    "noimplicitfloat",
    "noinline",
    "nomerge",
    "nonlazybind",
    "nonnull",
    "noprofile",
    "norecurse",
    "noredzone",
    "noreturn",
    "nosanitize_bounds",
    "nosanitize_coverage",
    "nosync",
    "noundef",
    "nounwind",
    "null_pointer_is_valid",
    "optdebug",
    "optforfuzzing",
    "optnone",
    "optsize",
    "presplitcoroutine",
    "readnone",
    "readonly",
    "returned",
    "returns_twice",
    "safestack",
    "sanitize_address",
    "sanitize_hwaddress",
    "sanitize_memory",
    "sanitize_memtag",
    "sanitize_thread",
    "shadowcallstack",
    "signext",
    "skipprofile",
    "speculatable",
    "speculative_load_hardening",
    "ssp",
    "sspreq",
    "sspstrong",
    "strictfp",
    "swiftasync",
    "swifterror",
    "swiftself",
    "willreturn",
    "writable",
    "writeonly",
    "zeroext",
];

/// Classes of `nofpclass` with their bits.
const FLOAT_CLASSES: [(&str, u64); 17] = [
    ("snan", 1),
    ("qnan", 2),
    ("nan", 3),
    ("ninf", 4),
    ("pinf", 0x200),
    ("inf", 0x204),
    ("nnorm", 8),
    ("pnorm", 0x100),
    ("norm", 0x108),
    ("nsub", 0x10),
    ("psub", 0x80),
    ("sub", 0x90),
    ("nzero", 0x20),
    ("pzero", 0x40),
    ("zero", 0x60),
    ("all", 0x3ff),
    ("none", 0),
];

impl Parser<'_> {
    /// Attributes until something else comes.
    ///
    /// `in_group` is the spelling of attribute groups, `align=4`.
    pub(super) fn attributes(&mut self, in_group: bool) -> Parsed<Attributes> {
        let mut attributes = Vec::new();
        loop {
            match self.token.clone() {
                Token::AttributeGroup(number) if !in_group => {
                    let Some(group) = self.attribute_groups.get(&number) else {
                        return self.error(format!("attribute group `#{number}` is not defined"));
                    };
                    attributes.extend(group.iter().cloned());
                    let nodes = group.len() as u64;
                    self.spend(nodes)?;
                    self.advance()?;
                }
                Token::Str(key) => {
                    self.advance()?;
                    let value = if self.eat_punct(b'=')? { self.string()? } else { String::new() };
                    attributes.push(Attribute::String(key.as_ref().into(), value.into()));
                }
                Token::Word(word) => {
                    if ENUM_ATTRIBUTES.binary_search(&word).is_ok() {
                        self.advance()?;
                        attributes.push(Attribute::Enum(word.into()));
                    } else if !self.valued_attribute(word, in_group, &mut attributes)? {
                        return Ok(Attributes(attributes));
                    }
                }
                _ => return Ok(Attributes(attributes)),
            }
        }
    }

    /// An attribute with a value; gives whether one stands here.
    fn valued_attribute(
        &mut self,
        word: &str,
        in_group: bool,
        attributes: &mut Vec<Attribute>,
    ) -> Parsed<bool> {
        let value = match word {
            "align" => {
                self.advance()?;
                let value = if in_group && self.eat_punct(b'=')? || !self.is_punct(b'(') {
                    self.uint()?
                } else {
                    self.parenthesized()?
                };
                Attribute::Int(word.into(), value)
            }
            "alignstack" | "dereferenceable" | "dereferenceable_or_null" => {
                self.advance()?;
                let value =
                    if in_group && self.eat_punct(b'=')? { self.uint()? } else { self.parenthesized()? };
                Attribute::Int(word.into(), value)
            }
            "memory" => {
                self.advance()?;
                Attribute::Int(word.into(), self.memory()?)
            }
            "captures" => {
                self.advance()?;
                Attribute::Int(word.into(), self.captures()?)
            }
            "nofpclass" => {
                self.advance()?;
                Attribute::Int(word.into(), self.float_classes()?)
            }
            "uwtable" => {
                self.advance()?;
                let mut value = 2;
                if self.eat_punct(b'(')? {
                    value = if self.eat_word("sync")? { 1 } else { 2 };
                    self.eat_word("async")?;
                    self.expect_punct(b')')?;
                }
                Attribute::Int(word.into(), value)
            }
            "sret" | "byval" | "byref" | "elementtype" | "inalloca" | "preallocated" => {
                self.advance()?;
                self.expect_punct(b'(')?;
                let ty = self.ty()?;
                self.expect_punct(b')')?;
                Attribute::Type(word.into(), ty)
            }
            // Promises that have no place in the data.
            "range" | "initializes" => {
                self.advance()?;
                self.skip_parenthesized()?;
                return Ok(true);
            }
            "vscale_range" | "allocsize" | "allockind" => {
                return self.error(format!("attribute `{word}` is not supported"));
            }
            _ => return Ok(false),
        };
        attributes.push(value);
        Ok(true)
    }

    fn skip_parenthesized(&mut self) -> Parsed<()> {
        self.expect_punct(b'(')?;
        let mut open = 1_u32;
        while open > 0 {
            match self.token {
                Token::Punct(b'(') => open += 1,
                Token::Punct(b')') => open -= 1,
                Token::Eof => return self.unexpected("`)`"),
                _ => {}
            }
            self.advance()?;
        }
        Ok(())
    }

    /// `(none)`, `(read, argmem: readwrite)`
    fn memory(&mut self) -> Parsed<u64> {
        let mut effects = 0_u64;
        self.expect_punct(b'(')?;
        loop {
            // `argmem:` is lexed as a label.
            let place = match self.token.clone() {
                Token::Label(super::Name::Text(name)) => {
                    let Some((_, place)) = MEMORY_PLACES.iter().find(|(text, _)| *text == &*name) else {
                        return self.unexpected("a kind of memory");
                    };
                    self.advance()?;
                    Some(*place)
                }
                _ => None,
            };
            let Token::Word(word) = self.token else { return self.unexpected("a kind of access") };
            let Some(access) = MEMORY_ACCESS.iter().position(|access| *access == word) else {
                return self.unexpected("`none`, `read`, `write` or `readwrite`");
            };
            self.advance()?;
            let mut set = |place: u32| {
                effects = effects & !(3 << (2 * place)) | (access as u64) << (2 * place);
            };
            if let Some(place) = place {
                set(place);
            } else {
                set(MEMORY_OTHER);
                for (_, place) in MEMORY_PLACES {
                    set(place);
                }
            }
            if !self.eat_punct(b',')? {
                break;
            }
        }
        self.expect_punct(b')')?;
        Ok(effects)
    }

    /// `(none)`, `(address, ret: address, provenance)`
    fn captures(&mut self) -> Parsed<u64> {
        let (mut other, mut ret, mut in_ret) = (0_u64, None, false);
        self.expect_punct(b'(')?;
        loop {
            if matches!(&self.token, Token::Label(super::Name::Text(name)) if name == "ret") {
                self.advance()?;
                in_ret = true;
                ret = Some(0);
            }
            let bits = match self.token {
                Token::Word("none") => 0,
                Token::Word("address_is_null") => 1,
                Token::Word("address") => 3,
                Token::Word("read_provenance") => 4,
                Token::Word("provenance") => 12,
                _ => return self.unexpected("what is captured"),
            };
            self.advance()?;
            if in_ret {
                ret = Some(ret.unwrap_or(0) | bits);
            } else {
                other |= bits;
            }
            if !self.eat_punct(b',')? {
                break;
            }
        }
        self.expect_punct(b')')?;
        Ok(other << 4 | ret.unwrap_or(other))
    }

    /// `(nan inf)` or the bits as a number.
    fn float_classes(&mut self) -> Parsed<u64> {
        self.expect_punct(b'(')?;
        if matches!(self.token, Token::Int(..)) {
            let bits = self.uint()?;
            self.expect_punct(b')')?;
            return Ok(bits);
        }
        let mut bits = 0;
        while let Token::Word(word) = self.token {
            let Some((_, class)) = FLOAT_CLASSES.iter().find(|(name, _)| *name == word) else {
                return self.unexpected("a class of numbers");
            };
            bits |= class;
            self.advance()?;
        }
        self.expect_punct(b')')?;
        Ok(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::ENUM_ATTRIBUTES;

    #[test]
    fn the_table_is_sorted_for_binary_search() {
        assert!(ENUM_ATTRIBUTES.is_sorted());
    }
}
