//! Calls.

use mw_air::{Call, Callee, Constant, Flags, Inst, Type, ValueId};

use super::function::{BodyReader, Decoded};
use super::opcodes::fast_flags;
use super::operands::Operands;
use crate::error::ReadError;

const TAIL: u64 = 1;
const MUST_TAIL: u64 = 1 << 14;
const EXPLICIT_TYPE: u64 = 1 << 15;
const NO_TAIL: u64 = 1 << 16;
const FAST_MATH: u64 = 1 << 17;

impl BodyReader<'_, '_> {
    /// Remembers the bundle for the call that follows.
    pub(super) fn operand_bundle(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let tag = operands.next()?;
        self.bundle.get_or_insert(tag);
        Ok(Decoded::Nothing)
    }

    pub(super) fn call(&mut self, mut operands: Operands<'_>) -> Result<Decoded, ReadError> {
        let attributes = operands.next()?;
        let bits = operands.next()?;
        let flags = if bits & FAST_MATH != 0 { fast_flags(operands.next()?) } else { Flags::NONE };
        if bits & EXPLICIT_TYPE == 0 {
            return Err(operands.malformed("it states the type of what it calls"));
        }
        let ty = std::sync::Arc::clone(self.module.types.function(operands.next()?)?);
        let (callee, callee_ty) = self.typed_value(&mut operands)?;
        if !callee_ty.is_ptr() {
            return Err(operands.malformed("functions are called through pointers"));
        }
        let callee = self.callee(callee)?;
        let bundle = self.bundle.take();

        let mut args = Vec::with_capacity(ty.params.len());
        let mut takes_metadata = false;
        for param in &ty.params {
            if *param == Type::Metadata {
                takes_metadata = true;
                operands.next()?;
            } else {
                args.push(ValueId(self.value(&mut operands, param)?));
            }
        }
        while ty.varargs && !operands.is_empty() {
            args.push(ValueId(self.typed_value(&mut operands)?.0));
        }
        if !operands.is_empty() {
            return Err(operands.malformed("a call has as many arguments as its function has parameters"));
        }
        if takes_metadata {
            return self.metadata_call(callee);
        }
        self.check_bundle(bundle, callee)?;

        let module = &mut *self.module;
        let attributes = module.attributes.list(attributes, &mut module.budget)?;
        if attributes.params.len() > args.len() {
            return Err(operands.malformed("attributes belong to arguments that exist"));
        }
        let ret = ty.ret.clone();
        let call = Call {
            callee,
            ty: (*ty).clone(),
            args,
            attrs: attributes.function,
            ret_attrs: attributes.ret,
            arg_attrs: attributes.params,
            calling_convention: (bits >> 1 & 0x3ff) as u32,
            tail: match bits & (TAIL | MUST_TAIL | NO_TAIL) {
                0 => 0,
                TAIL => 1,
                NO_TAIL => 3,
                _ if bits & MUST_TAIL != 0 => 2,
                _ => return Err(operands.malformed("a call is `tail` or `notail`, not both")),
            },
            flags,
        };
        Ok(Decoded::Inst(Inst::Call(Box::new(call)), ret))
    }

    fn callee(&mut self, number: u32) -> Result<Callee, ReadError> {
        let module = &mut *self.module;
        if module.constants.is_constant(number)
            && let Constant::Function(id) = module.constants.typed(number, &mut module.budget)?.value
        {
            return Ok(Callee::Function(id));
        }
        Ok(Callee::Value(ValueId(number)))
    }

    fn callee_name(&self, callee: Callee) -> &str {
        match callee {
            Callee::Function(id) => &self.module.module.function(id).name,
            Callee::Value(_) => "a pointer",
        }
    }

    /// Debug intrinsics are dropped; nothing else of AIR takes metadata.
    fn metadata_call(&self, callee: Callee) -> Result<Decoded, ReadError> {
        let name = self.callee_name(callee);
        if name.starts_with("llvm.dbg.") {
            Ok(Decoded::Dropped)
        } else {
            Err(ReadError::Unsupported { what: format!("a call of `{name}` with a metadata operand") })
        }
    }

    /// Bundles of `llvm.assume` are promises and dropped; others would change what a call does.
    fn check_bundle(&self, bundle: Option<u64>, callee: Callee) -> Result<(), ReadError> {
        let Some(tag) = bundle else { return Ok(()) };
        let name = self.callee_name(callee);
        if name == "llvm.assume" {
            return Ok(());
        }
        let tag = usize::try_from(tag).ok().and_then(|tag| self.module.bundle_tags.get(tag));
        Err(ReadError::Unsupported {
            what: format!(
                "a call of `{name}` with operand bundle `{}`",
                tag.map_or("(unnamed)", String::as_str)
            ),
        })
    }
}
