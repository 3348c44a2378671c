//! The type table.
//!
//! Pointer types become opaque on the way in: of `float addrspace(1)*` only the address space is kept, since every
//! record that needs a pointee (load, GEP, call, alloca, global) names it itself. An entry may refer to later ones
//! only through a pointer, so that a table never describes an infinite type.

use std::sync::Arc;

use mw_air::{AddressSpace, FunctionType, Scalar, StructType, Type};

use super::budget::MAX_TYPE_WEIGHT;
use super::operands::{Operands, text};
use crate::bitstream::{Event, Record, Stream};
use crate::error::ReadError;

const BLOCK: &str = "TYPE_BLOCK";

/// An entry of the type table.
#[derive(Debug, Clone)]
enum Entry {
    /// A type that values, or at least functions, can have.
    Value(Type, u32),
    Function(Arc<FunctionType>),
    /// Only ever the type of basic blocks, which records name by number.
    Label,
    /// Fine as long as nothing uses it.
    Unsupported(&'static str),
}

/// All types of a module.
#[derive(Debug, Default)]
pub(super) struct Types {
    entries: Vec<Entry>,
}

impl Types {
    /// Reads the block that the stream has just entered.
    pub(super) fn read<'a>(
        &mut self,
        stream: &mut Stream<'a>,
        record: &mut Record<'a>,
    ) -> Result<(), ReadError> {
        let mut name = None;
        loop {
            match stream.next(record)? {
                Event::End => return Ok(()),
                Event::Block(_) => stream.skip()?,
                Event::Record => self.read_record(record, &mut name)?,
            }
        }
    }

    fn read_record(&mut self, record: &Record<'_>, name: &mut Option<Arc<str>>) -> Result<(), ReadError> {
        let operands = &record.operands;
        let entry = match record.code {
            // The number of entries, told in advance: nothing to prepare.
            1 => return Ok(()),
            2 => Entry::Value(Type::Void, 1),
            3 => scalar(Scalar::Float),
            4 => scalar(Scalar::Double),
            5 => Entry::Label,
            6 => Entry::Value(named_struct(name.take(), Vec::new(), false, true), 1),
            7 => self.integer(Operands::new(operands, BLOCK, "INTEGER"))?,
            8 => {
                let mut operands = Operands::new(operands, BLOCK, "POINTER");
                operands.next()?;
                pointer(operands)?
            }
            10 => scalar(Scalar::Half),
            11 => self.array(Operands::new(operands, BLOCK, "ARRAY"))?,
            12 => self.vector(Operands::new(operands, BLOCK, "VECTOR"))?,
            13 => Entry::Unsupported("x86_fp80"),
            14 => Entry::Unsupported("fp128"),
            15 => Entry::Unsupported("ppc_fp128"),
            16 => Entry::Value(Type::Metadata, 1),
            17 => Entry::Unsupported("x86_mmx"),
            18 => self.structure(None, Operands::new(operands, BLOCK, "STRUCT_ANON"))?,
            19 => {
                *name = Some(text(operands, BLOCK, "STRUCT_NAME")?.into());
                return Ok(());
            }
            20 => {
                // An empty name is how LLVM writes a structure whose name was dropped.
                let name = name.take().unwrap_or_else(|| "".into());
                self.structure(Some(name), Operands::new(operands, BLOCK, "STRUCT_NAMED"))?
            }
            21 => self.function_type(Operands::new(operands, BLOCK, "FUNCTION"))?,
            22 => Entry::Unsupported("token"),
            23 => scalar(Scalar::BFloat),
            24 => Entry::Unsupported("x86_amx"),
            25 => pointer(Operands::new(operands, BLOCK, "OPAQUE_POINTER"))?,
            26 => {
                name.take();
                Entry::Unsupported("target(...)")
            }
            code => return Err(ReadError::UnsupportedRecord { block: BLOCK, code, note: "" }),
        };
        self.entries.push(entry);
        Ok(())
    }

    #[expect(clippy::unused_self, reason = "keeps the makers of entries alike")]
    fn integer(&self, mut operands: Operands<'_>) -> Result<Entry, ReadError> {
        match operands.next()? {
            width @ 1..=64 => Ok(scalar(Scalar::Int(width as u16))),
            0 => Err(operands.malformed("integers have at least one bit")),
            _ => Ok(Entry::Unsupported("an integer of more than 64 bits")),
        }
    }

    fn array(&self, mut operands: Operands<'_>) -> Result<Entry, ReadError> {
        let count = operands.next()?;
        let (element, weight) = self.element(operands.next()?, &operands)?;
        weighed(Type::Array(Arc::new(element), count), weight + 1)
    }

    fn vector(&self, mut operands: Operands<'_>) -> Result<Entry, ReadError> {
        let lanes = operands.next_u32()?;
        let element = operands.next()?;
        if lanes == 0 {
            return Err(operands.malformed("vectors have at least one element"));
        }
        if operands.optional().is_some_and(|scalable| scalable != 0) {
            return Ok(Entry::Unsupported("a scalable vector"));
        }
        match self.element(element, &operands)?.0 {
            Type::Scalar(scalar) => Ok(Entry::Value(Type::Vector(scalar, lanes), 1)),
            _ => Err(operands.malformed("the elements of a vector are numbers or pointers")),
        }
    }

    fn structure(&self, name: Option<Arc<str>>, mut operands: Operands<'_>) -> Result<Entry, ReadError> {
        let packed = operands.next()? != 0;
        let mut weight = 1_u32;
        let mut fields = Vec::with_capacity(operands.len());
        for &field in operands.rest() {
            let (field, field_weight) = self.element(field, &operands)?;
            weight = weight.saturating_add(field_weight);
            fields.push(field);
        }
        weighed(named_struct(name, fields, packed, false), weight)
    }

    fn function_type(&self, mut operands: Operands<'_>) -> Result<Entry, ReadError> {
        let varargs = operands.next()? != 0;
        let ret = match self.entry(operands.next()?)? {
            Entry::Value(ty, _) => ty.clone(),
            Entry::Unsupported(what) => return Ok(Entry::Unsupported(what)),
            Entry::Function(_) | Entry::Label => {
                return Err(operands.malformed("a function returns a value or nothing"));
            }
        };
        let mut params = Vec::with_capacity(operands.len());
        for &param in operands.rest() {
            match self.entry(param)? {
                Entry::Value(Type::Void, _) | Entry::Function(_) | Entry::Label => {
                    return Err(operands.malformed("a parameter is a value"));
                }
                Entry::Value(ty, _) => params.push(ty.clone()),
                Entry::Unsupported(what) => return Ok(Entry::Unsupported(what)),
            }
        }
        Ok(Entry::Function(Arc::new(FunctionType { ret, params, varargs })))
    }

    /// A type that an aggregate or vector can hold, with its weight.
    fn element(&self, id: u64, operands: &Operands<'_>) -> Result<(Type, u32), ReadError> {
        match self.entry(id)? {
            Entry::Value(Type::Void | Type::Metadata, _) | Entry::Function(_) | Entry::Label => {
                Err(operands.malformed("an element has a size"))
            }
            Entry::Value(ty, weight) => Ok((ty.clone(), *weight)),
            Entry::Unsupported(what) => Err(ReadError::Unsupported { what: format!("type {what}") }),
        }
    }

    fn entry(&self, id: u64) -> Result<&Entry, ReadError> {
        usize::try_from(id)
            .ok()
            .and_then(|index| self.entries.get(index))
            .ok_or_else(|| ReadError::dangling("type", id, self.entries.len()))
    }

    /// Any type that is not a function's: `void` and `metadata` included.
    pub(super) fn any(&self, id: u64) -> Result<&Type, ReadError> {
        match self.entry(id)? {
            Entry::Value(ty, _) => Ok(ty),
            Entry::Unsupported(what) => Err(ReadError::Unsupported { what: format!("type {what}") }),
            Entry::Function(_) | Entry::Label => Err(ReadError::MalformedRecord {
                block: BLOCK,
                record: "type reference",
                rule: "a value is not of function or label type",
            }),
        }
    }

    /// A type that a value can have.
    pub(super) fn first_class(&self, id: u64) -> Result<&Type, ReadError> {
        match self.any(id)? {
            Type::Void | Type::Metadata => Err(ReadError::MalformedRecord {
                block: BLOCK,
                record: "type reference",
                rule: "a value is not of type `void` or `metadata`",
            }),
            ty => Ok(ty),
        }
    }

    /// A function type.
    pub(super) fn function(&self, id: u64) -> Result<&Arc<FunctionType>, ReadError> {
        match self.entry(id)? {
            Entry::Function(ty) => Ok(ty),
            Entry::Unsupported(what) => {
                Err(ReadError::Unsupported { what: format!("a function type with {what}") })
            }
            Entry::Value(..) | Entry::Label => Err(ReadError::MalformedRecord {
                block: BLOCK,
                record: "type reference",
                rule: "a function or call needs a function type",
            }),
        }
    }
}

fn scalar(scalar: Scalar) -> Entry {
    Entry::Value(Type::Scalar(scalar), 1)
}

fn pointer(mut operands: Operands<'_>) -> Result<Entry, ReadError> {
    let space = if operands.is_empty() { 0 } else { operands.next_u32()? };
    Ok(scalar(Scalar::Ptr(AddressSpace(space))))
}

fn named_struct(name: Option<Arc<str>>, fields: Vec<Type>, packed: bool, opaque: bool) -> Type {
    Type::Struct(Arc::new(StructType { name, fields, packed, opaque }))
}

fn weighed(ty: Type, weight: u32) -> Result<Entry, ReadError> {
    if weight > MAX_TYPE_WEIGHT {
        return Err(ReadError::Limit {
            what: "nodes in one type",
            value: u64::from(weight),
            limit: u64::from(MAX_TYPE_WEIGHT),
        });
    }
    Ok(Entry::Value(ty, weight))
}
