//! Functions and their blocks.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::lexer::{Name, Token};
use super::module::symbol_name;
use super::{Parsed, Parser, name_text};
use crate::{
    Attributes, Block, BlockId, FuncId, Function, FunctionType, Inst, InstId, LocationId, MdId, Symbol,
    Terminator, Type, ValueId,
};

/// A value with a name or number.
struct Local {
    value: ValueId,
    /// Offset of the first mention of a value that is not yet defined.
    undefined: Option<usize>,
}

/// A block that was mentioned or defined. Its handle is its position in the order of mention.
struct Label<'t> {
    name: Name<'t>,
    /// Offset of the first mention.
    offset: usize,
    /// Place in the function, once it is defined.
    place: Option<BlockId>,
}

/// A terminator and what is attached to it.
type Ending = (Terminator, Vec<(Arc<str>, MdId)>, Option<LocationId>);

/// A function whose body is being read.
pub(super) struct Body<'t> {
    pub(super) function: Function,
    locals: FxHashMap<Name<'t>, Local>,
    labels: Vec<Label<'t>>,
    mentions: FxHashMap<Name<'t>, BlockId>,
    /// Next number of a value or block without name.
    next: u32,
}

impl<'t> Body<'t> {
    /// Uses up the numbers to `number`.
    fn take_number(&mut self, number: u32) -> Result<(), String> {
        if number < self.next {
            return Err(format!("blocks and values are numbered upwards: expected {}", self.next));
        }
        self.next = number.checked_add(1).ok_or("this number is too large")?;
        Ok(())
    }

    /// Handle of a block, by order of mention until the function is complete.
    fn mention(&mut self, name: &Name<'t>, offset: usize) -> BlockId {
        if let Some(mention) = self.mentions.get(name) {
            return *mention;
        }
        let mention = BlockId::new(self.labels.len());
        self.labels.push(Label { name: name.clone(), offset, place: None });
        self.mentions.insert(name.clone(), mention);
        mention
    }

    /// Replaces handles by mention with places, when every value and block is known; or says what is not.
    fn finish(&mut self) -> Result<(), (usize, String)> {
        let undefined =
            self.locals.iter().filter_map(|(name, local)| Some((local.undefined?, name_text(name))));
        if let Some((offset, name)) = undefined.min() {
            return Err((offset, format!("`%{name}` is not defined")));
        }
        let mut places = Vec::with_capacity(self.labels.len());
        for label in &self.labels {
            let Some(place) = label.place else {
                return Err((label.offset, format!("block `%{}` is not defined", name_text(&label.name))));
            };
            places.push(place);
        }
        for block in &mut self.function.blocks {
            block.terminator.map_successors(|mention| places[mention.index()]);
        }
        for index in 0..self.function.inst_count() {
            if let Inst::Phi { incoming, .. } = &mut self.function.inst_mut(InstId::new(index)).inst {
                for (mention, _) in incoming {
                    *mention = places[mention.index()];
                }
            }
        }
        Ok(())
    }
}

impl<'t> Parser<'t> {
    pub(super) fn declare(&mut self) -> Parsed<()> {
        self.advance()?;
        let mut metadata = Vec::new();
        while self.attachment(&mut metadata)? {}
        let (mut function, _) = self.prototype()?;
        function.metadata = metadata;
        function.subprogram = self.take_subprogram();
        self.module.functions.push(function);
        Ok(())
    }

    pub(super) fn define(&mut self) -> Parsed<()> {
        self.advance()?;
        let (mut function, names) = self.prototype()?;
        while self.attachment(&mut function.metadata)? {}
        function.subprogram = self.take_subprogram();
        let mut body = Body {
            function,
            locals: FxHashMap::default(),
            labels: Vec::new(),
            mentions: FxHashMap::default(),
            next: 0,
        };
        for (index, name) in names.into_iter().enumerate() {
            let value = body.function.param(index);
            self.define_local(&mut body, name, value)?;
        }
        self.expect_punct(b'{')?;
        while !self.is_punct(b'}') {
            self.block(&mut body)?;
        }
        if body.function.blocks.is_empty() {
            return self.error("a function that is defined has a block");
        }
        if let Err((offset, message)) = body.finish() {
            return Self::error_at(offset, message);
        }
        self.advance()?;
        self.module.functions.push(body.function);
        Ok(())
    }

    /// Everything up to the attributes and section, with the names of the parameters.
    fn prototype(&mut self) -> Parsed<(Function, Vec<Option<Name<'t>>>)> {
        let linkage = self.linkage()?;
        if let Token::Word(word @ ("hidden" | "protected" | "dllimport" | "dllexport")) = self.token {
            return self.error(format!("`{word}` is not supported"));
        }
        let calling_convention = self.calling_convention()?;
        let ret_attrs = self.attributes(false)?;
        let ret = self.ty()?;
        let Token::Global(name) = self.token.clone() else { return self.unexpected("the function's name") };
        let id = FuncId::new(self.module.functions.len());
        if !matches!(self.symbol(&name), Some(Symbol::Function(found)) if found == id) {
            return self.unexpected("a definition");
        }
        self.advance()?;
        self.expect_punct(b'(')?;
        let mut params = Vec::new();
        let mut param_attrs = Vec::new();
        let mut names = Vec::new();
        let mut varargs = false;
        while !self.is_punct(b')') {
            if matches!(self.token, Token::Ellipsis) {
                self.advance()?;
                varargs = true;
                break;
            }
            params.push(self.parameter_type()?);
            param_attrs.push(self.attributes(false)?);
            names.push(match self.token.clone() {
                Token::Local(name) => {
                    self.advance()?;
                    Some(name)
                }
                _ => None,
            });
            if !self.eat_punct(b',')? {
                break;
            }
        }
        self.expect_punct(b')')?;
        if param_attrs.iter().all(Attributes::is_empty) {
            param_attrs.clear();
        }
        let mut function = Function::new(&symbol_name(&name), FunctionType { ret, params, varargs });
        function.linkage = linkage;
        function.calling_convention = calling_convention;
        function.ret_attrs = ret_attrs;
        function.param_attrs = param_attrs;
        function.unnamed_addr = self.unnamed_addr()?;
        function.attrs = self.attributes(false)?;
        if self.eat_word("section")? {
            function.section = Some(self.string()?.into());
            // Attributes may stand on either side.
            let more = self.attributes(false)?;
            function.attrs.0.extend(more.0);
        }
        if let Token::Word(word @ ("comdat" | "gc" | "prefix" | "prologue" | "personality" | "partition")) =
            self.token
        {
            return self.error(format!("`{word}` is not supported"));
        }
        Ok((function, names))
    }

    fn parameter_type(&mut self) -> Parsed<Type> {
        let ty = self.ty()?;
        if ty == Type::Void {
            return self.error("a parameter cannot be `void`");
        }
        Ok(ty)
    }

    pub(super) fn calling_convention(&mut self) -> Parsed<u32> {
        let convention = match self.token {
            Token::Word("ccc") => 0,
            Token::Word("fastcc") => 8,
            Token::Word("coldcc") => 9,
            Token::Word("cc") => {
                self.advance()?;
                return self.u32();
            }
            _ => return Ok(0),
        };
        self.advance()?;
        Ok(convention)
    }

    fn block(&mut self, body: &mut Body<'t>) -> Parsed<()> {
        let offset = self.offset;
        let name = if let Token::Label(name) = self.token.clone() {
            self.advance()?;
            name
        } else {
            Name::Number(body.next)
        };
        if let Name::Number(number) = name {
            body.take_number(number).or_else(|message| Self::error_at(offset, message))?;
        }
        let place = BlockId::new(body.function.blocks.len());
        let mention = body.mention(&name, offset);
        if body.labels[mention.index()].place.replace(place).is_some() {
            return Self::error_at(offset, format!("block `%{}` is defined twice", name_text(&name)));
        }
        let mut insts = Vec::new();
        loop {
            if let Some((terminator, metadata, location)) = self.terminator(body)? {
                body.function.blocks.push(Block { insts, terminator, metadata, location });
                return Ok(());
            }
            insts.push(self.instruction(body)?);
        }
    }

    fn instruction(&mut self, body: &mut Body<'t>) -> Parsed<InstId> {
        let name = match self.token.clone() {
            Token::Local(name) => {
                self.advance()?;
                self.expect_punct(b'=')?;
                Some(name)
            }
            _ => None,
        };
        let (inst, ty) = self.operation(body)?;
        let result = if ty == Type::Void {
            if name.is_some() {
                return self.error("this instruction gives no result to name");
            }
            None
        } else {
            Some(self.define_result(body, name, ty)?)
        };
        let id = body.function.define_inst(inst, result);
        while self.is_punct(b',') {
            self.advance()?;
            let metadata = &mut body.function.inst_mut(id).metadata;
            if !self.attachment(metadata)? {
                return self.unexpected("metadata");
            }
        }
        body.function.inst_mut(id).location = self.take_location();
        Ok(id)
    }

    /// The value of an instruction's result, which may have been mentioned before.
    fn define_result(&mut self, body: &mut Body<'t>, name: Option<Name<'t>>, ty: Type) -> Parsed<ValueId> {
        let known = name.as_ref().and_then(|name| body.locals.get(name));
        let value = match known {
            Some(Local { value, undefined: Some(_) }) => {
                let value = *value;
                if *body.function.value_type(value) != ty {
                    return self.error(format!(
                        "this gives a `{ty}`, but is used as a `{}` above",
                        body.function.value_type(value)
                    ));
                }
                value
            }
            _ => body.function.reserve_value(ty),
        };
        self.define_local(body, name, value)?;
        Ok(value)
    }

    fn define_local(&mut self, body: &mut Body<'t>, name: Option<Name<'t>>, value: ValueId) -> Parsed<()> {
        let name = name.unwrap_or(Name::Number(body.next));
        if let Name::Number(number) = name {
            body.take_number(number).or_else(|message| self.error(message))?;
        }
        match body.locals.get_mut(&name) {
            Some(Local { undefined: undefined @ Some(_), .. }) => *undefined = None,
            Some(_) => return self.error(format!("`%{}` is defined twice", name_text(&name))),
            None => {
                body.locals.insert(name, Local { value, undefined: None });
            }
        }
        Ok(())
    }

    /// An operand of type `ty`.
    pub(super) fn value(&mut self, body: &mut Body<'t>, ty: &Type) -> Parsed<ValueId> {
        let Token::Local(name) = self.token.clone() else {
            if matches!(ty, Type::Void | Type::Metadata) {
                return self.error(format!("an operand cannot be `{ty}`"));
            }
            let constant = self.constant(ty)?;
            return Ok(body.function.add_constant(constant));
        };
        let value = if let Some(local) = body.locals.get(&name) {
            let found = body.function.value_type(local.value);
            if found != ty {
                return self.error(format!("`%{}` is a `{found}`, not a `{ty}`", name_text(&name)));
            }
            local.value
        } else {
            if matches!(ty, Type::Void | Type::Metadata) {
                return self.error(format!("an operand cannot be `{ty}`"));
            }
            let value = body.function.reserve_value(ty.clone());
            body.locals.insert(name, Local { value, undefined: Some(self.offset) });
            value
        };
        self.advance()?;
        Ok(value)
    }

    /// A type and an operand of it.
    pub(super) fn typed_value(&mut self, body: &mut Body<'t>) -> Parsed<ValueId> {
        let ty = self.ty()?;
        self.value(body, &ty)
    }

    /// `label %7`
    pub(super) fn label(&mut self, body: &mut Body<'t>) -> Parsed<BlockId> {
        self.expect_word("label")?;
        self.block_name(body)
    }

    /// `%7` as the name of a block; the handle is by order of mention until the function is complete.
    pub(super) fn block_name(&mut self, body: &mut Body<'t>) -> Parsed<BlockId> {
        let Token::Local(name) = self.token.clone() else { return self.unexpected("a block's name") };
        let mention = body.mention(&name, self.offset);
        self.advance()?;
        Ok(mention)
    }

    /// A terminator with its metadata, if one stands here.
    fn terminator(&mut self, body: &mut Body<'t>) -> Parsed<Option<Ending>> {
        let Token::Word(word) = self.token else { return Ok(None) };
        let terminator = match word {
            "ret" => {
                self.advance()?;
                if self.eat_word("void")? {
                    Terminator::Ret(None)
                } else {
                    Terminator::Ret(Some(self.typed_value(body)?))
                }
            }
            "br" => {
                self.advance()?;
                if self.is_word("label") {
                    Terminator::Br(self.label(body)?)
                } else {
                    let condition = self.typed_value(body)?;
                    self.expect_punct(b',')?;
                    let on_true = self.label(body)?;
                    self.expect_punct(b',')?;
                    Terminator::CondBr { condition, on_true, on_false: self.label(body)? }
                }
            }
            "switch" => self.switch(body)?,
            "unreachable" => {
                self.advance()?;
                Terminator::Unreachable
            }
            "invoke" | "callbr" | "indirectbr" | "resume" | "catchswitch" | "catchret" | "cleanupret" => {
                return self.error(format!("`{word}` does not exist in AIR"));
            }
            _ => return Ok(None),
        };
        let mut metadata = Vec::new();
        while self.eat_punct(b',')? {
            if !self.attachment(&mut metadata)? {
                return self.unexpected("metadata");
            }
        }
        Ok(Some((terminator, metadata, self.take_location())))
    }

    fn switch(&mut self, body: &mut Body<'t>) -> Parsed<Terminator> {
        self.advance()?;
        let value = self.typed_value(body)?;
        self.expect_punct(b',')?;
        let default = self.label(body)?;
        self.expect_punct(b'[')?;
        let mut cases = Vec::new();
        while !self.is_punct(b']') {
            let offset = self.offset;
            let case = self.typed_constant()?;
            if case.ty != *body.function.value_type(value) {
                return Self::error_at(offset, "a case has the type of the value");
            }
            let Some(number) = case.as_int() else { return Self::error_at(offset, "a case is an integer") };
            self.expect_punct(b',')?;
            cases.push((number, self.label(body)?));
        }
        self.expect_punct(b']')?;
        Ok(Terminator::Switch { value, default, cases })
    }
}
