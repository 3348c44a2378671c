//! What stands at the top level: types, variables, functions, attribute groups, metadata.
//!
//! Names may be used before they are defined. So a first pass over the tokens only notes which symbols,
//! structures and attribute groups there are, and a second one reads everything.

use rustc_hash::FxHashMap;

use super::lexer::{Lexer, Name, Token};
use super::{Failure, Parsed, Parser, name_text};
use crate::{AddressSpace, FuncId, Global, GlobalId, Linkage, Module, Symbol, Type};

impl<'t> Parser<'t> {
    pub(super) fn module(mut self) -> Parsed<Module> {
        self.survey()?;
        self.seek(0)?;
        loop {
            match self.token.clone() {
                Token::Eof => break,
                Token::Word("source_filename") => {
                    self.advance()?;
                    self.expect_punct(b'=')?;
                    self.module.source_filename = self.string()?;
                }
                Token::Word("target") => self.target()?,
                Token::Local(_) => self.skip_type_definition()?,
                Token::Global(name) => self.global(&name)?,
                Token::Word("define") => self.define()?,
                Token::Word("declare") => self.declare()?,
                Token::Word("attributes") => self.skip_attribute_group()?,
                Token::MetadataName(name) => self.named_metadata(&name)?,
                Token::Node(number) => self.node_definition(number)?,
                Token::Word(word @ ("module" | "uselistorder" | "uselistorder_bb")) => {
                    return self.error(format!("`{word}` is not supported"));
                }
                _ => return self.unexpected("a definition"),
            }
        }
        self.check_nodes()?;
        self.finish_debug()?;
        Ok(self.module)
    }

    /// Notes names, structure bodies and attribute groups.
    fn survey(&mut self) -> Parsed<()> {
        let mut groups: Vec<(u32, usize)> = Vec::new();
        let (mut globals, mut functions) = (0, 0);
        let mut depth = 0_usize;
        let mut function_comes = false;
        while self.token != Token::Eof {
            let offset = self.offset;
            let token = self.advance()?;
            match token {
                Token::Punct(b'{') => depth += 1,
                Token::Punct(b'}') => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                Token::Word("define" | "declare") => function_comes = true,
                Token::Global(name) if function_comes => {
                    function_comes = false;
                    let symbol = Symbol::Function(FuncId::new(functions));
                    functions += 1;
                    self.add_symbol(name, symbol, offset)?;
                }
                Token::Global(name) if self.is_punct(b'=') => {
                    let symbol = Symbol::Global(GlobalId::new(globals));
                    globals += 1;
                    self.add_symbol(name, symbol, offset)?;
                }
                Token::Local(name) if self.is_punct(b'=') => {
                    self.advance()?;
                    if self.is_word("type") {
                        self.advance()?;
                        if self.type_offsets.insert(name.clone(), self.offset).is_some() {
                            let name = name_text(&name);
                            return Self::error_at(offset, format!("type `%{name}` is defined twice"));
                        }
                    }
                }
                Token::Word("attributes") => {
                    if let Token::AttributeGroup(number) = self.token {
                        self.advance()?;
                        self.expect_punct(b'=')?;
                        if !self.is_punct(b'{') {
                            return self.unexpected("`{`");
                        }
                        groups.push((number, self.offset));
                    }
                }
                _ => {}
            }
        }
        for (number, offset) in groups {
            self.seek(offset)?;
            self.advance()?;
            let group = self.attributes(true)?.0;
            if !self.is_punct(b'}') {
                return self.unexpected("an attribute or `}`");
            }
            if self.attribute_groups.insert(number, group).is_some() {
                return Self::error_at(offset, format!("attribute group `#{number}` is defined twice"));
            }
        }
        Ok(())
    }

    fn add_symbol(&mut self, name: Name<'t>, symbol: Symbol, offset: usize) -> Parsed<()> {
        if self.symbols.contains_key(&name) {
            return Self::error_at(offset, format!("`@{}` is defined twice", name_text(&name)));
        }
        self.symbols.insert(name, symbol);
        Ok(())
    }

    fn target(&mut self) -> Parsed<()> {
        self.advance()?;
        let triple = self.is_word("triple");
        if !triple && !self.is_word("datalayout") {
            return self.unexpected("`triple` or `datalayout`");
        }
        self.advance()?;
        self.expect_punct(b'=')?;
        let text = self.string()?;
        if triple {
            self.module.triple = text;
        } else {
            self.module.data_layout = text;
        }
        Ok(())
    }

    fn skip_type_definition(&mut self) -> Parsed<()> {
        self.advance()?;
        self.expect_punct(b'=')?;
        self.expect_word("type")?;
        if self.eat_word("opaque")? {
            return Ok(());
        }
        if !self.is_punct(b'{') && !self.is_punct(b'<') {
            return self.unexpected("the body of a structure");
        }
        // Read for its errors; the result is that of the first use.
        self.ty()?;
        Ok(())
    }

    fn skip_attribute_group(&mut self) -> Parsed<()> {
        self.advance()?;
        let Token::AttributeGroup(_) = self.token else { return self.unexpected("`#` and a number") };
        self.advance()?;
        self.expect_punct(b'=')?;
        self.expect_punct(b'{')?;
        self.attributes(true)?;
        self.expect_punct(b'}')
    }

    fn global(&mut self, name: &Name<'t>) -> Parsed<()> {
        let id = GlobalId::new(self.module.globals.len());
        if !matches!(self.symbols.get(name), Some(Symbol::Global(found)) if *found == id) {
            return self.unexpected("a definition");
        }
        self.advance()?;
        self.expect_punct(b'=')?;
        let explicit_linkage = matches!(self.token, Token::Word("external" | "extern_weak"));
        let linkage = self.linkage()?;
        let unnamed_addr = self.unnamed_addr()?;
        let space = self.address_space()?;
        let externally_initialized = self.eat_word("externally_initialized")?;
        let is_constant = match self.token {
            Token::Word("constant") => true,
            Token::Word("global") => false,
            Token::Word(word @ ("alias" | "ifunc" | "thread_local" | "hidden" | "protected")) => {
                return self.error(format!("`{word}` is not supported"));
            }
            _ => return self.unexpected("`global` or `constant`"),
        };
        self.advance()?;
        let ty = self.ty()?;
        if matches!(ty, Type::Void | Type::Metadata) {
            return self.error(format!("a variable cannot hold `{ty}`"));
        }
        let initializer = if explicit_linkage { None } else { Some(self.constant(&ty)?) };
        let text = symbol_name(name);
        let mut global = Global {
            name: text.as_str().into(),
            ty,
            space,
            initializer,
            is_constant,
            linkage,
            align: 0,
            section: None,
            unnamed_addr,
            externally_initialized,
            metadata: Vec::new(),
        };
        while self.eat_punct(b',')? {
            if self.attachment(&mut global.metadata)? {
                continue;
            }
            match self.token {
                Token::Word("section") => {
                    self.advance()?;
                    global.section = Some(self.string()?.into());
                }
                Token::Word("align") => {
                    self.advance()?;
                    global.align = self.u32()?;
                }
                _ => return self.unexpected("`section`, `align` or metadata"),
            }
        }
        self.drop_attached();
        self.module.globals.push(global);
        Ok(())
    }

    /// A linkage and `dso_local`; `external` when none is written.
    pub(super) fn linkage(&mut self) -> Parsed<Linkage> {
        let linkage = match self.token {
            Token::Word("external") => Some(Linkage::External),
            Token::Word("internal") => Some(Linkage::Internal),
            Token::Word("private") => Some(Linkage::Private),
            Token::Word("weak_odr") => Some(Linkage::WeakOdr),
            Token::Word("weak") => Some(Linkage::Weak),
            Token::Word("linkonce_odr") => Some(Linkage::LinkOnceOdr),
            Token::Word("linkonce") => Some(Linkage::LinkOnce),
            Token::Word("appending") => Some(Linkage::Appending),
            Token::Word("common") => Some(Linkage::Common),
            Token::Word("available_externally") => Some(Linkage::AvailableExternally),
            Token::Word("extern_weak") => Some(Linkage::ExternWeak),
            _ => None,
        };
        if linkage.is_some() {
            self.advance()?;
        }
        self.eat_word("dso_local")?;
        Ok(linkage.unwrap_or(Linkage::External))
    }

    pub(super) fn unnamed_addr(&mut self) -> Parsed<u8> {
        if self.eat_word("unnamed_addr")? {
            return Ok(1);
        }
        Ok(if self.eat_word("local_unnamed_addr")? { 2 } else { 0 })
    }

    /// Whether the token after the current one is a metadata name: then a comma here ends the operands.
    pub(super) fn attachment_follows(&self) -> Parsed<bool> {
        let mut ahead: Lexer<'t> = self.lexer.clone();
        match ahead.next() {
            Ok((_, token)) => Ok(matches!(token, Token::MetadataName(_))),
            Err((offset, message)) => Err(Failure { offset, message }),
        }
    }

    /// Symbols that the module has, for functions.
    pub(super) fn symbol(&self, name: &Name<'t>) -> Option<Symbol> {
        let symbols: &FxHashMap<Name<'t>, Symbol> = &self.symbols;
        symbols.get(name).copied()
    }

    /// The address space that pointers of a bare `ptr` have.
    pub(super) const DEFAULT_SPACE: AddressSpace = AddressSpace::THREAD;
}

/// Name of a symbol; numbered ones have none.
pub(super) fn symbol_name(name: &Name<'_>) -> String {
    match name {
        Name::Number(_) => String::new(),
        Name::Text(text) => text.to_string(),
    }
}
