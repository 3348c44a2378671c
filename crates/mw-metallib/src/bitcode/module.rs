//! The module block: everything but the bodies of functions.

use std::sync::Arc;

use mw_air::{AddressSpace, FuncId, Function, Global, GlobalId, Module, Type};
use rustc_hash::FxHashMap;

use super::attributes::AttributeTable;
use super::budget::Budget;
use super::constants::Constants;
use super::function::read_body;
use super::metadata::MetadataReader;
use super::opcodes::linkage;
use super::operands::{Operands, text};
use super::symbols::{StringTable, upgrade_intrinsic_name};
use super::types::Types;
use super::{block_id, upgrade};
use crate::bitstream::{Event, Record, Stream};
use crate::error::ReadError;

const BLOCK: &str = "MODULE_BLOCK";

/// What a global value id stands for.
#[derive(Debug, Clone, Copy)]
enum GlobalValue {
    Global(GlobalId),
    Function(FuncId),
}

/// A module being read.
pub(super) struct ModuleReader<'a> {
    strings: StringTable<'a>,
    version: u64,
    pub(super) module: Module,
    pub(super) types: Types,
    pub(super) attributes: AttributeTable,
    pub(super) constants: Constants,
    pub(super) metadata: MetadataReader,
    pub(super) budget: Budget,
    /// Names of the operand bundle tags.
    pub(super) bundle_tags: Vec<String>,
    sections: Vec<Arc<str>>,
    /// Globals and functions in the order of their value ids.
    global_values: Vec<GlobalValue>,
    /// Value ids of initialisers.
    initializers: Vec<(GlobalId, u32)>,
    /// Functions with bodies, in the order of the bodies.
    bodies: Vec<FuncId>,
    next_body: usize,
    /// Value id of the first parameter of the function that is being read.
    pub(super) first_param: u32,
}

impl<'a> ModuleReader<'a> {
    pub(super) fn new(strings: StringTable<'a>) -> Self {
        Self {
            strings,
            version: 0,
            module: Module::default(),
            types: Types::default(),
            attributes: AttributeTable::default(),
            constants: Constants::default(),
            metadata: MetadataReader::default(),
            budget: Budget::new(),
            bundle_tags: Vec::new(),
            sections: Vec::new(),
            global_values: Vec::new(),
            initializers: Vec::new(),
            bodies: Vec::new(),
            next_body: 0,
            first_param: 0,
        }
    }

    /// Reads the module block that the stream has just entered.
    pub(super) fn read(
        mut self,
        stream: &mut Stream<'a>,
        record: &mut Record<'a>,
    ) -> Result<Module, ReadError> {
        loop {
            match stream.next(record)? {
                Event::End => break,
                Event::Block(block) => self.read_block(block, stream, record)?,
                Event::Record => self.read_record(record)?,
            }
        }
        if self.next_body < self.bodies.len() {
            return Err(ReadError::Missing { what: "body of a defined function" });
        }
        self.set_initializers()?;
        self.attach_metadata()?;
        upgrade::lifetime_markers(&mut self.module);
        Ok(self.module)
    }

    fn read_block(
        &mut self,
        block: u32,
        stream: &mut Stream<'a>,
        record: &mut Record<'a>,
    ) -> Result<(), ReadError> {
        // Value names inside functions, use orders, link-time summaries: nothing that a program means.
        let wanted = [
            block_id::TYPE,
            block_id::PARAMATTR_GROUP,
            block_id::PARAMATTR,
            block_id::CONSTANTS,
            block_id::METADATA_KIND,
            block_id::METADATA,
            block_id::OPERAND_BUNDLE_TAGS,
            block_id::FUNCTION,
            block_id::VALUE_SYMTAB,
        ];
        if !wanted.contains(&block) {
            return match block {
                block_id::SYNC_SCOPE_NAMES
                | block_id::USELIST
                | block_id::FULL_LTO_SUMMARY
                | block_id::GLOBALVAL_SUMMARY => stream.skip(),
                _ => {
                    Err(ReadError::UnsupportedRecord { block: BLOCK, code: block, note: " (a nested block)" })
                }
            };
        }
        if block == block_id::FUNCTION {
            let function = self.bodies.get(self.next_body).copied();
            let Some(function) = function else {
                return Err(malformed("function block", "there are as many bodies as defined functions"));
            };
            self.next_body += 1;
            stream.enter(block)?;
            return read_body(self, function, stream, record);
        }
        stream.enter(block)?;
        match block {
            block_id::TYPE => self.types.read(stream, record),
            block_id::PARAMATTR_GROUP => self.attributes.read_groups(stream, record, &self.types),
            block_id::PARAMATTR => self.attributes.read_lists(stream, record, &mut self.budget),
            block_id::CONSTANTS => self.constants.read(stream, record, &self.types, &mut self.budget),
            block_id::METADATA_KIND => self.metadata.read_kinds(stream, record),
            block_id::METADATA => self.metadata.read(
                stream,
                record,
                &mut self.module.metadata,
                &mut self.constants,
                &mut self.budget,
            ),
            block_id::OPERAND_BUNDLE_TAGS => self.read_bundle_tags(stream, record),
            _ => self.read_symbols(stream, record),
        }
    }

    fn read_record(&mut self, record: &Record<'_>) -> Result<(), ReadError> {
        let operands = &record.operands;
        match record.code {
            1 => {
                self.version = Operands::new(operands, BLOCK, "VERSION").next()?;
                if !(1..=2).contains(&self.version) {
                    return Err(ReadError::Unsupported {
                        what: format!("module version {} (1 and 2 are read)", self.version),
                    });
                }
            }
            2 => self.module.triple = text(operands, BLOCK, "TRIPLE")?,
            3 => self.module.data_layout = text(operands, BLOCK, "DATALAYOUT")?,
            4 => return Err(ReadError::Unsupported { what: "module-level assembly".into() }),
            5 => self.sections.push(text(operands, BLOCK, "SECTIONNAME")?.into()),
            7 => self.read_global(Operands::new(operands, BLOCK, "GLOBALVAR"))?,
            8 => self.read_function(Operands::new(operands, BLOCK, "FUNCTION"))?,
            9 | 14 => return Err(ReadError::Unsupported { what: "an alias".into() }),
            18 => return Err(ReadError::Unsupported { what: "an ifunc".into() }),
            16 => self.module.source_filename = text(operands, BLOCK, "SOURCE_FILENAME")?,
            // Libraries to link, garbage collectors, comdats, offsets for lazy readers, hashes.
            6 | 11 | 12 | 13 | 15 | 17 => {}
            code => return Err(ReadError::UnsupportedRecord { block: BLOCK, code, note: "" }),
        }
        Ok(())
    }

    /// A symbol's name, where records hold it (version 2); version 1 names them in a symbol table.
    fn symbol_name(&mut self, operands: &mut Operands<'_>) -> Result<&'a str, ReadError> {
        match self.version {
            2 => {
                let name = self.strings.get(operands.next()?, operands.next()?)?;
                // Many symbols can share one long name; eight bytes of it count as one node.
                self.budget.spend(name.len() as u64 / 8)?;
                Ok(name)
            }
            1 => Ok(""),
            _ => Err(malformed("VERSION", "the version stands before the first symbol")),
        }
    }

    fn read_global(&mut self, mut operands: Operands<'_>) -> Result<(), ReadError> {
        let name = self.symbol_name(&mut operands)?;
        let ty = self.types.first_class(operands.next()?)?.clone();
        let flags = operands.next()?;
        if flags & 2 == 0 {
            return Err(operands.malformed("a global names the type of its contents"));
        }
        let space = u32::try_from(flags >> 2)
            .map(AddressSpace)
            .map_err(|_| operands.malformed("address spaces are 32-bit numbers"))?;
        let initializer = operands.next_u32()?;
        let linkage = linkage(operands.next()?).ok_or_else(|| operands.malformed("unknown linkage"))?;
        let align = alignment(operands.next()?, &operands)?;
        let section = self.section(operands.next()?)?;
        // Visibility and thread-locality say nothing about a GPU.
        operands.skip(2);
        let unnamed_addr = operands.optional().unwrap_or(0).min(2) as u8;
        let externally_initialized = operands.optional().is_some_and(|flag| flag != 0);

        let id = self.module.add_global(Global {
            is_constant: flags & 1 != 0,
            linkage,
            align,
            section,
            unnamed_addr,
            externally_initialized,
            ..Global::new(name, ty, space)
        });
        if let Some(value) = initializer.checked_sub(1) {
            self.initializers.push((id, value));
        }
        self.constants.push_global(id, Type::ptr(space));
        self.global_values.push(GlobalValue::Global(id));
        Ok(())
    }

    fn read_function(&mut self, mut operands: Operands<'_>) -> Result<(), ReadError> {
        let name = self.symbol_name(&mut operands)?;
        let ty = self.types.function(operands.next()?)?;
        self.budget.spend(ty.params.len() as u64)?;
        let mut function = Function::new(&upgrade_intrinsic_name(name), (**ty).clone());
        function.calling_convention = operands.next_u32()?;
        let is_declaration = operands.next()? != 0;
        function.linkage = linkage(operands.next()?).ok_or_else(|| operands.malformed("unknown linkage"))?;
        let list = self.attributes.list(operands.next()?, &mut self.budget)?;
        if list.params.len() > function.ty.params.len() {
            return Err(operands.malformed("attributes belong to parameters that exist"));
        }
        function.attrs = list.function;
        function.ret_attrs = list.ret;
        function.param_attrs = list.params;
        if !function.param_attrs.is_empty() {
            function.param_attrs.resize_with(function.ty.params.len(), Default::default);
        }
        // Alignment.
        operands.skip(1);
        function.section = self.section(operands.next()?)?;
        // Visibility, garbage collector.
        operands.skip(2);
        function.unnamed_addr = operands.optional().unwrap_or(0).min(2) as u8;
        // Prologue, storage class, comdat, prefix, personality, preemption.
        operands.skip(6);
        let space = match operands.optional() {
            Some(space) => {
                u32::try_from(space).map_err(|_| operands.malformed("address spaces are 32-bit numbers"))?
            }
            None => 0,
        };

        let id = self.module.add_function(function);
        if !is_declaration {
            self.bodies.push(id);
        }
        self.constants.push_function(id, Type::ptr(AddressSpace(space)));
        self.global_values.push(GlobalValue::Function(id));
        Ok(())
    }

    /// The section of a record's section operand, where 0 is none.
    fn section(&self, operand: u64) -> Result<Option<Arc<str>>, ReadError> {
        let Some(index) = operand.checked_sub(1) else { return Ok(None) };
        match usize::try_from(index).ok().and_then(|index| self.sections.get(index)) {
            Some(section) => Ok(Some(Arc::clone(section))),
            None => Err(ReadError::dangling("section name", operand, self.sections.len())),
        }
    }

    fn read_bundle_tags(
        &mut self,
        stream: &mut Stream<'a>,
        record: &mut Record<'a>,
    ) -> Result<(), ReadError> {
        loop {
            match stream.next(record)? {
                Event::End => return Ok(()),
                Event::Block(_) => stream.skip()?,
                Event::Record => {
                    self.bundle_tags.push(text(&record.operands, "OPERAND_BUNDLE_TAGS_BLOCK", "TAG")?);
                }
            }
        }
    }

    /// The module's symbol table; only version 1 keeps names in it.
    fn read_symbols(&mut self, stream: &mut Stream<'a>, record: &mut Record<'a>) -> Result<(), ReadError> {
        const TABLE: &str = "VALUE_SYMTAB";
        let mut names: FxHashMap<u64, Arc<str>> = FxHashMap::default();
        loop {
            match stream.next(record)? {
                Event::End => break,
                Event::Block(_) => stream.skip()?,
                Event::Record if self.version == 1 && matches!(record.code, 1 | 3) => {
                    let mut operands = Operands::new(&record.operands, TABLE, "ENTRY");
                    let value = operands.next()?;
                    if record.code == 3 {
                        operands.next()?;
                    }
                    names.insert(value, text(operands.rest(), TABLE, "ENTRY")?.into());
                }
                Event::Record => {}
            }
        }
        for (value, global) in self.global_values.iter().enumerate() {
            let Some(name) = names.get(&(value as u64)) else { continue };
            match *global {
                GlobalValue::Global(id) => self.module.globals[id.index()].name = Arc::clone(name),
                GlobalValue::Function(id) => {
                    self.module.function_mut(id).name = upgrade_intrinsic_name(name).as_ref().into();
                }
            }
        }
        Ok(())
    }

    fn set_initializers(&mut self) -> Result<(), ReadError> {
        for (id, value) in std::mem::take(&mut self.initializers) {
            let constant = self.constants.typed(value, &mut self.budget)?;
            let global = &mut self.module.globals[id.index()];
            if constant.ty != global.ty {
                return Err(malformed("GLOBALVAR", "an initialiser has the type of its global"));
            }
            global.initializer = Some(constant);
        }
        Ok(())
    }

    fn attach_metadata(&mut self) -> Result<(), ReadError> {
        for attachment in std::mem::take(&mut self.metadata.global_attachments) {
            let global =
                usize::try_from(attachment.value).ok().and_then(|value| self.global_values.get(value));
            match global {
                Some(GlobalValue::Global(id)) => {
                    self.module.globals[id.index()].metadata.extend(attachment.pairs);
                }
                Some(GlobalValue::Function(id)) => {
                    self.module.function_mut(*id).metadata.extend(attachment.pairs);
                }
                None => {
                    return Err(ReadError::dangling(
                        "global value",
                        attachment.value,
                        self.global_values.len(),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// An alignment operand: 0 for none, else the exponent plus one.
pub(super) fn alignment(operand: u64, operands: &Operands<'_>) -> Result<u32, ReadError> {
    match operand {
        0 => Ok(0),
        exponent @ 1..=32 => Ok(1 << (exponent - 1)),
        _ => Err(operands.malformed("alignments are below 2^32")),
    }
}

fn malformed(record: &'static str, rule: &'static str) -> ReadError {
    ReadError::MalformedRecord { block: BLOCK, record, rule }
}
