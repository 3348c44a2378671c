//! The body of a function: blocks, value numbering, forward references.
//!
//! Records name values by their distance from the current one, so a body is read in two steps. While reading, every
//! operand is kept as its absolute value number (in the place of a [`ValueId`]); once all values exist, one pass
//! replaces the numbers by real ids. Operands that are constants enter the function then, in order of first use.
//! A cast between pointers that differ only in their pointee is not an instruction any more: its number becomes
//! another name for its operand.

use mw_air::{BlockId, FuncId, Function, FunctionType, Inst, InstId, LocationId, Terminator, Type, ValueId};
use rustc_hash::FxHashMap;

use super::block_id;
use super::debug::Spot;
use super::module::ModuleReader;
use super::operands::Operands;
use crate::bitstream::{Event, Record, Stream};
use crate::error::ReadError;

pub(super) const BLOCK: &str = "FUNCTION_BLOCK";

/// What the number of an instruction's result leads to.
#[derive(Debug, Clone, Copy)]
enum Target {
    Value(ValueId),
    /// The same as another number.
    Alias(u32),
}

/// A result that has been read.
#[derive(Debug)]
struct Local {
    ty: Type,
    target: Target,
}

/// An instruction in LLVM's count, which attachments use.
#[derive(Debug, Clone, Copy)]
enum InstRef {
    Inst(InstId),
    Terminator(BlockId),
    /// Not an instruction of ours.
    Dropped,
}

/// What a record turns into.
#[derive(Debug)]
pub(super) enum Decoded {
    Inst(Inst, Type),
    Alias(u32),
    Terminator(Terminator),
    /// An instruction that AIR has no use for.
    Dropped,
    /// No instruction at all.
    Nothing,
}

/// A function body being read.
pub(super) struct BodyReader<'m, 'a> {
    pub(super) module: &'m mut ModuleReader<'a>,
    pub(super) function: Function,
    locals: Vec<Local>,
    /// Types of values that were used before they were defined.
    forward: FxHashMap<u32, Type>,
    declared_blocks: u32,
    current: Option<BlockId>,
    insts: Vec<InstRef>,
    /// Tag of an operand bundle that waits for its call.
    pub(super) bundle: Option<u64>,
    /// Position of the last instruction that said one.
    location: Option<LocationId>,
}

/// Reads the body of `id` out of the block that the stream has just entered.
pub(super) fn read_body<'a>(
    module: &mut ModuleReader<'a>,
    id: FuncId,
    stream: &mut Stream<'a>,
    record: &mut Record<'a>,
) -> Result<(), ReadError> {
    let constants = module.constants.len();
    let metadata = module.metadata.len();
    module.first_param = constants as u32;
    let placeholder = Function::new("", FunctionType { ret: Type::Void, params: Vec::new(), varargs: false });
    let function = std::mem::replace(module.module.function_mut(id), placeholder);
    for param in &function.ty.params {
        module.constants.push_param(param.clone());
    }
    let mut body = BodyReader {
        module,
        function,
        locals: Vec::new(),
        forward: FxHashMap::default(),
        declared_blocks: 0,
        current: None,
        insts: Vec::new(),
        bundle: None,
        location: None,
    };
    body.read(stream, record)?;
    body.finish()?;
    let function = body.function;
    *module.module.function_mut(id) = function;
    module.constants.truncate(constants);
    module.metadata.truncate(metadata);
    Ok(())
}

impl<'a> BodyReader<'_, 'a> {
    fn read(&mut self, stream: &mut Stream<'a>, record: &mut Record<'a>) -> Result<(), ReadError> {
        loop {
            match stream.next(record)? {
                Event::End => return Ok(()),
                Event::Block(block) => self.read_block(block, stream, record)?,
                Event::Record if matches!(record.code, 33 | 35) => self.locate(record),
                Event::Record => {
                    let decoded = self.decode(record)?;
                    self.place(decoded)?;
                }
            }
        }
    }

    fn read_block(
        &mut self,
        block: u32,
        stream: &mut Stream<'a>,
        record: &mut Record<'a>,
    ) -> Result<(), ReadError> {
        match block {
            block_id::CONSTANTS => {
                if !self.locals.is_empty() {
                    return Err(malformed("nested block", "constants come before instructions"));
                }
                stream.enter(block)?;
                let module = &mut *self.module;
                module.constants.read(stream, record, &module.types, &mut module.budget)
            }
            block_id::METADATA => {
                stream.enter(block)?;
                let module = &mut *self.module;
                module.metadata.read(
                    stream,
                    record,
                    &mut module.module.metadata,
                    &mut module.constants,
                    &mut module.budget,
                )
            }
            block_id::METADATA_ATTACHMENT => {
                stream.enter(block)?;
                self.read_attachments(stream, record)
            }
            block_id::VALUE_SYMTAB | block_id::USELIST => stream.skip(),
            _ => Err(ReadError::UnsupportedRecord { block: BLOCK, code: block, note: " (a nested block)" }),
        }
    }

    /// Sets how many blocks there are; they come into being as instructions reach them.
    pub(super) fn declare_blocks(&mut self, mut operands: Operands<'_>) -> Result<(), ReadError> {
        if self.declared_blocks != 0 {
            return Err(operands.malformed("blocks are declared once"));
        }
        self.declared_blocks = operands.next_u32()?;
        if self.declared_blocks == 0 {
            return Err(operands.malformed("a body has at least one block"));
        }
        Ok(())
    }

    fn place(&mut self, decoded: Decoded) -> Result<(), ReadError> {
        match decoded {
            Decoded::Nothing => {}
            Decoded::Dropped => {
                self.block()?;
                self.insts.push(InstRef::Dropped);
            }
            Decoded::Alias(number) => {
                self.block()?;
                let ty = self.type_of(number)?.clone();
                self.define(ty, Target::Alias(number))?;
                self.insts.push(InstRef::Dropped);
            }
            Decoded::Inst(inst, ty) => {
                let block = self.block()?;
                let id = self.function.make_inst(inst, ty.clone());
                self.function.block_mut(block).insts.push(id);
                if let Some(result) = self.function.inst(id).result {
                    self.define(ty, Target::Value(result))?;
                }
                self.insts.push(InstRef::Inst(id));
            }
            Decoded::Terminator(terminator) => {
                let block = self.block()?;
                self.function.block_mut(block).terminator = terminator;
                self.insts.push(InstRef::Terminator(block));
                self.current = None;
            }
        }
        Ok(())
    }

    /// Gives the last instruction its position: `[line, column, scope, inlined at]`, or that of the one before.
    fn locate(&mut self, record: &Record<'_>) {
        if record.code == 35 {
            let field = |index: usize| record.operands.get(index).copied().unwrap_or(0);
            let narrow = |index: usize| u32::try_from(field(index)).unwrap_or(0);
            self.location = field(2).checked_sub(1).and_then(|scope| {
                let spot =
                    Spot { line: narrow(0), column: narrow(1), scope, inlined_at: field(3).checked_sub(1) };
                self.module.metadata.location(spot, &mut self.module.module.debug)
            });
        }
        match self.insts.last() {
            Some(InstRef::Inst(id)) => self.function.inst_mut(*id).location = self.location,
            Some(InstRef::Terminator(block)) => self.function.block_mut(*block).location = self.location,
            Some(InstRef::Dropped) | None => {}
        }
    }

    /// The block that instructions go to, started if need be.
    fn block(&mut self) -> Result<BlockId, ReadError> {
        if let Some(block) = self.current {
            return Ok(block);
        }
        if self.function.blocks.len() >= self.declared_blocks as usize {
            return Err(malformed("instruction", "there are as many blocks as declared"));
        }
        let block = self.function.add_block();
        self.current = Some(block);
        Ok(block)
    }

    fn define(&mut self, ty: Type, target: Target) -> Result<(), ReadError> {
        let number = self.next_number();
        if self.forward.remove(&number).is_some_and(|promised| promised != ty) {
            return Err(malformed("instruction", "a value has the type that earlier uses of it state"));
        }
        self.locals.push(Local { ty, target });
        Ok(())
    }

    /// The number of the next value to be defined.
    pub(super) fn next_number(&self) -> u32 {
        (self.module.constants.len() + self.locals.len()) as u32
    }

    /// Type of a value whose number was given out already.
    pub(super) fn type_of(&self, number: u32) -> Result<&Type, ReadError> {
        if let Some(ty) = self.module.constants.ty(number) {
            return Ok(ty);
        }
        let local = (number as usize)
            .checked_sub(self.module.constants.len())
            .and_then(|index| self.locals.get(index))
            .map(|local| &local.ty);
        local.or_else(|| self.forward.get(&number)).ok_or_else(|| self.dangling(number))
    }

    fn dangling(&self, number: u32) -> ReadError {
        ReadError::dangling("value", u64::from(number), self.next_number() as usize)
    }

    /// Notes that value `number`, not yet defined, will have type `ty`.
    fn promise(&mut self, number: u32, ty: &Type) -> Result<(), ReadError> {
        match self.forward.get(&number) {
            Some(promised) if promised != ty => {
                Err(malformed("instruction", "uses of a value agree about its type"))
            }
            Some(_) => Ok(()),
            None => {
                self.forward.insert(number, ty.clone());
                Ok(())
            }
        }
    }

    /// An operand with its type, which the record states if the value is still to come.
    pub(super) fn typed_value(&mut self, operands: &mut Operands<'_>) -> Result<(u32, Type), ReadError> {
        let number = self.next_number().wrapping_sub(operands.next()? as u32);
        if number < self.next_number() {
            return Ok((number, self.type_of(number)?.clone()));
        }
        let ty = self.module.types.first_class(operands.next()?)?.clone();
        self.promise(number, &ty)?;
        Ok((number, ty))
    }

    /// An operand whose type is known.
    pub(super) fn value(&mut self, operands: &mut Operands<'_>, ty: &Type) -> Result<u32, ReadError> {
        let number = self.next_number().wrapping_sub(operands.next()? as u32);
        self.check_value(number, ty)?;
        Ok(number)
    }

    /// Makes sure that value `number` has, or will have, type `ty`.
    pub(super) fn check_value(&mut self, number: u32, ty: &Type) -> Result<(), ReadError> {
        if number >= self.next_number() {
            return self.promise(number, ty);
        }
        if self.type_of(number)? == ty {
            Ok(())
        } else {
            Err(malformed("instruction", "an operand has the type that the operation asks for"))
        }
    }

    /// A block by its number.
    pub(super) fn target(&self, number: u64) -> Result<BlockId, ReadError> {
        if number < u64::from(self.declared_blocks) {
            Ok(BlockId(number as u32))
        } else {
            Err(ReadError::dangling("block", number, self.declared_blocks as usize))
        }
    }

    fn read_attachments(
        &mut self,
        stream: &mut Stream<'a>,
        record: &mut Record<'a>,
    ) -> Result<(), ReadError> {
        loop {
            match stream.next(record)? {
                Event::End => return Ok(()),
                Event::Block(_) => stream.skip()?,
                Event::Record if record.code == 11 => {
                    let mut operands =
                        Operands::new(&record.operands, "METADATA_ATTACHMENT_BLOCK", "ATTACHMENT");
                    // An odd length starts with the instruction; otherwise it is the function's own.
                    if operands.len().is_multiple_of(2) {
                        let module = &mut *self.module;
                        let subprogram =
                            module.metadata.attached_subprogram(&record.operands, &mut module.module.debug);
                        self.function.subprogram = self.function.subprogram.or(subprogram);
                        let pairs = self.module.metadata.attachment(operands)?;
                        self.function.metadata.extend(pairs);
                        continue;
                    }
                    let number = operands.next()?;
                    let pairs = self.module.metadata.attachment(operands)?;
                    let inst = usize::try_from(number).ok().and_then(|number| self.insts.get(number));
                    match inst {
                        Some(InstRef::Inst(id)) => self.function.inst_mut(*id).metadata.extend(pairs),
                        Some(InstRef::Terminator(block)) => {
                            self.function.block_mut(*block).metadata.extend(pairs);
                        }
                        Some(InstRef::Dropped) => {}
                        None => {
                            return Err(ReadError::dangling("instruction", number, self.insts.len()));
                        }
                    }
                }
                Event::Record => {}
            }
        }
    }

    /// Replaces value numbers by ids, now that every value exists.
    fn finish(&mut self) -> Result<(), ReadError> {
        if self.current.is_some() || self.function.blocks.len() != self.declared_blocks as usize {
            return Err(malformed("end of block", "every declared block exists and ends in a terminator"));
        }
        if let Some(number) = self.forward.keys().min() {
            return Err(self.dangling(*number));
        }
        let mut ids: Vec<Option<ValueId>> = vec![None; self.next_number() as usize];
        let mut operands = Vec::new();
        for block in 0..self.function.blocks.len() {
            let block = BlockId::new(block);
            for index in 0..self.function.block(block).insts.len() {
                let inst = self.function.block(block).insts[index];
                operands.clear();
                self.function.inst(inst).inst.for_each_operand(|operand| operands.push(operand.0));
                for &number in &operands {
                    self.resolve(number, &mut ids)?;
                }
                self.function
                    .inst_mut(inst)
                    .inst
                    .map_operands(|operand| ids.get(operand.index()).copied().flatten().unwrap_or(operand));
            }
            if let Some(operand) = self.function.block(block).terminator.operand() {
                let id = self.resolve(operand.0, &mut ids)?;
                self.function.block_mut(block).terminator.map_operand(|_| id);
            }
        }
        Ok(())
    }

    /// The id of a value number, following other names of it; remembers what it learns in `ids`.
    fn resolve(&mut self, number: u32, ids: &mut [Option<ValueId>]) -> Result<ValueId, ReadError> {
        let base = self.module.constants.len();
        let mut path = Vec::new();
        let mut number = number;
        let id = loop {
            let Some(known) = ids.get(number as usize) else { return Err(self.dangling(number)) };
            if let Some(id) = known {
                break *id;
            }
            let Some(index) = (number as usize).checked_sub(base) else {
                break self.outside(number)?;
            };
            match self.locals[index].target {
                Target::Value(id) => break id,
                Target::Alias(next) => {
                    if path.len() > self.locals.len() {
                        return Err(malformed("CAST", "a pointer is not a cast of itself"));
                    }
                    path.push(number);
                    number = next;
                }
            }
        };
        ids[number as usize] = Some(id);
        for step in path {
            ids[step as usize] = Some(id);
        }
        Ok(id)
    }

    /// A parameter or constant.
    fn outside(&mut self, number: u32) -> Result<ValueId, ReadError> {
        let module = &mut *self.module;
        if module.constants.is_constant(number) {
            let constant = module.constants.typed(number, &mut module.budget)?;
            return Ok(self.function.add_constant(constant));
        }
        // Parameters follow the module's values directly.
        let first = module.first_param;
        Ok(self.function.param((number - first) as usize))
    }
}

pub(super) fn malformed(record: &'static str, rule: &'static str) -> ReadError {
    ReadError::MalformedRecord { block: BLOCK, record, rule }
}
