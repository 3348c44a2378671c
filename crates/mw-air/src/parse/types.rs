//! Types.

use std::sync::Arc;

use super::lexer::{Name, Token};
use super::{Parsed, Parser, name_text};
use crate::types::MAX_TYPE_NODES;
use crate::{AddressSpace, Scalar, StructType, Type};

/// Longest vector: 32 lanes of the longest that a lane holds, with room.
const MAX_LANES: u64 = 4096;

impl<'t> Parser<'t> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let ty = self.deeper(Self::ty_unbounded)?;
        if self.is_punct(b'*') {
            return self.error("typed pointers are not LLVM 22 any more: write `ptr`");
        }
        Ok(ty)
    }

    fn ty_unbounded(&mut self) -> Parsed<Type> {
        match self.token.clone() {
            Token::Word(word) => self.word_type(word),
            Token::Punct(b'[') => {
                self.advance()?;
                let count = self.uint()?;
                self.expect_word("x")?;
                let element = self.ty()?;
                self.expect_punct(b']')?;
                if matches!(element, Type::Void | Type::Metadata) {
                    return self.error(format!("an array cannot hold `{element}`"));
                }
                Ok(Type::array(element, count))
            }
            Token::Punct(b'<') => {
                self.advance()?;
                if self.is_punct(b'{') {
                    let fields = self.fields()?;
                    self.expect_punct(b'>')?;
                    return Ok(structure(fields, true));
                }
                if self.is_word("vscale") {
                    return self.error("scalable vectors do not exist in AIR");
                }
                let lanes = self.uint()?;
                if !(1..=MAX_LANES).contains(&lanes) {
                    return self.error(format!("vectors have 1 to {MAX_LANES} elements"));
                }
                self.expect_word("x")?;
                let Type::Scalar(scalar) = self.ty()? else {
                    return self.error("a vector holds numbers or pointers");
                };
                self.expect_punct(b'>')?;
                Ok(Type::Vector(scalar, lanes as u32))
            }
            Token::Punct(b'{') => Ok(structure(self.fields()?, false)),
            Token::Local(name) => {
                let structure = self.named_type(&name)?;
                self.advance()?;
                Ok(Type::Struct(structure))
            }
            _ => self.unexpected("a type"),
        }
    }

    fn word_type(&mut self, word: &str) -> Parsed<Type> {
        if let Some(scalar) = scalar(word) {
            self.advance()?;
            return Ok(Type::Scalar(scalar));
        }
        match word {
            "void" => {
                self.advance()?;
                Ok(Type::Void)
            }
            "metadata" => {
                self.advance()?;
                Ok(Type::Metadata)
            }
            "ptr" => {
                self.advance()?;
                Ok(Type::ptr(self.address_space()?))
            }
            "fp128" | "x86_fp80" | "ppc_fp128" | "x86_amx" | "token" | "label" | "target" => {
                self.error(format!("type `{word}` does not exist in AIR"))
            }
            _ if word.starts_with('i') && word[1..].bytes().all(|byte| byte.is_ascii_digit()) => {
                self.error(format!("`{word}`: integers have 1 to 64 bits"))
            }
            _ => self.unexpected("a type"),
        }
    }

    /// `addrspace(3)`, or nothing for address space 0.
    pub(super) fn address_space(&mut self) -> Parsed<AddressSpace> {
        if !self.eat_word("addrspace")? {
            return Ok(AddressSpace::THREAD);
        }
        self.expect_punct(b'(')?;
        let space = self.u32()?;
        self.expect_punct(b')')?;
        Ok(AddressSpace(space))
    }

    /// `{ i32, float }`
    fn fields(&mut self) -> Parsed<Vec<Type>> {
        self.expect_punct(b'{')?;
        let mut fields = Vec::new();
        // Counted as the verifier counts: the structure itself is one.
        let mut nodes = 1;
        while !self.is_punct(b'}') {
            let field = self.ty()?;
            if matches!(field, Type::Void | Type::Metadata) {
                return self.error(format!("a structure cannot hold `{field}`"));
            }
            nodes += field.nodes_up_to(MAX_TYPE_NODES);
            if nodes > MAX_TYPE_NODES {
                return self.error(format!("this structure has more than {MAX_TYPE_NODES} members in all"));
            }
            fields.push(field);
            if !self.eat_punct(b',')? {
                break;
            }
        }
        self.expect_punct(b'}')?;
        Ok(fields)
    }

    /// The structure called `name`, whose body is read where it stands when it is first needed.
    fn named_type(&mut self, name: &Name<'t>) -> Parsed<Arc<StructType>> {
        match self.types.get(name) {
            Some(Some(structure)) => return Ok(Arc::clone(structure)),
            Some(None) => return self.error(format!("structure `%{}` contains itself", name_text(name))),
            None => {}
        }
        let Some(body) = self.type_offsets.get(name).copied() else {
            return self.error(format!("type `%{}` is not defined", name_text(name)));
        };
        let resume = self.offset;
        self.types.insert(name.clone(), None);
        self.seek(body)?;
        let structure = self.deeper(|parser| parser.named_body(name))?;
        self.types.insert(name.clone(), Some(Arc::clone(&structure)));
        self.seek(resume)?;
        Ok(structure)
    }

    fn named_body(&mut self, name: &Name<'t>) -> Parsed<Arc<StructType>> {
        let text = Some(name_text(name).into());
        if self.eat_word("opaque")? {
            return Ok(Arc::new(StructType { name: text, fields: Vec::new(), packed: false, opaque: true }));
        }
        let packed = self.eat_punct(b'<')?;
        let fields = self.fields()?;
        if packed {
            self.expect_punct(b'>')?;
        }
        Ok(Arc::new(StructType { name: text, fields, packed, opaque: false }))
    }
}

fn structure(fields: Vec<Type>, packed: bool) -> Type {
    Type::Struct(Arc::new(StructType { name: None, fields, packed, opaque: false }))
}

fn scalar(word: &str) -> Option<Scalar> {
    Some(match word {
        "half" => Scalar::Half,
        "bfloat" => Scalar::BFloat,
        "float" => Scalar::Float,
        "double" => Scalar::Double,
        _ => {
            let bits = word.strip_prefix('i').filter(|digits| !digits.is_empty() && digits.len() <= 2)?;
            let bits: u16 = bits.parse().ok()?;
            (1..=64).contains(&bits).then_some(Scalar::Int(bits))?
        }
    })
}
