//! From a module to a [`Program`]: memory is laid out, constants get registers, and every function that
//! the kernel or a constructor can reach is decoded.

mod address;
mod block;
mod call;
mod constant;
mod layout;

use std::collections::VecDeque;

use mw_air::{Constant, FuncId, GlobalId, Layout, Module, Type, TypedConstant};
use rustc_hash::FxHashMap;

use crate::memory::{CONSTANTS, THREADGROUP};
use crate::program::{LANES, Program, Reg};
use crate::shadow::Shadowed;

/// Why a module cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DecodeError {
    /// It uses something that this engine has not: the feature, and what to do instead.
    Unsupported { feature: String, help: String },
    /// It breaks a rule.
    Invalid(String),
}

type Result<T> = std::result::Result<T, DecodeError>;

fn invalid<T>(message: impl Into<String>) -> Result<T> {
    Err(DecodeError::Invalid(message.into()))
}

fn unsupported<T>(feature: impl Into<String>, help: impl Into<String>) -> Result<T> {
    Err(DecodeError::Unsupported { feature: feature.into(), help: help.into() })
}

/// Most bytes of constant data, and of threadgroup memory, that a module may declare.
const MAX_MEMORY: u64 = 1 << 28;

/// Decodes what `roots` and the constructors reach.
///
/// With `telling`, functions that have a subprogram tell the value of each of their instructions.
pub(crate) fn decode(module: &Module, roots: &[FuncId], flushing: bool, telling: bool) -> Result<Program> {
    let mut decoder = Decoder {
        module,
        program: Program { flushing, position: vec![None; module.functions.len()], ..Program::default() },
        addresses: vec![0; module.globals.len()],
        registers: FxHashMap::default(),
        queue: VecDeque::new(),
        queued: 0,
        telling,
    };
    decoder.lay_out()?;
    for root in roots {
        decoder.position_of(*root)?;
    }
    let constructors = decoder.constructors()?;
    for constructor in constructors {
        let position = decoder.position_of(constructor)?;
        decoder.program.constructors.push(position);
    }
    while let Some(function) = decoder.queue.pop_front() {
        let code = block::decode_function(&mut decoder, function)?;
        decoder.program.functions.push(code);
    }
    Ok(decoder.program)
}

/// State of decoding a module.
struct Decoder<'m> {
    module: &'m Module,
    program: Program,
    /// Address of each global variable.
    addresses: Vec<u64>,
    /// Constant register of a value and whether it is undefined.
    registers: FxHashMap<(u64, bool), Reg>,
    /// Functions that wait for their turn; their position is given already.
    queue: VecDeque<FuncId>,
    queued: u32,
    telling: bool,
}

impl Decoder<'_> {
    /// Position of a function in the program; it is decoded later when this is the first mention.
    fn position_of(&mut self, function: FuncId) -> Result<u32> {
        let Some(slot) = self.program.position.get_mut(function.index()) else {
            return invalid(format!("function {} does not exist", function.0));
        };
        if let Some(position) = *slot {
            return Ok(position);
        }
        let position = self.queued;
        *slot = Some(position);
        self.queued += 1;
        self.queue.push_back(function);
        Ok(position)
    }

    /// The register that holds a constant.
    fn constant(&mut self, value: u64, undef: bool) -> Reg {
        let program = &mut self.program;
        *self.registers.entry((value, undef)).or_insert_with(|| {
            program.constants.push([value; LANES]);
            program.constants_undef.push(if undef { u32::MAX } else { 0 });
            Reg::constant(program.constants.len() - 1)
        })
    }

    /// The bits of a register that is a defined constant.
    fn known(&self, reg: Reg) -> Option<u64> {
        match reg.place() {
            Err(index) if self.program.constants_undef[index] == 0 => Some(self.program.constants[index][0]),
            _ => None,
        }
    }

    /// Gives every global variable an address and its first contents.
    fn lay_out(&mut self) -> Result<()> {
        let mut ends = [0_u64; 2];
        for id in self.module.global_ids() {
            let global = self.module.global(id);
            if global.name.starts_with("llvm.") {
                continue;
            }
            let shared = global.space == mw_air::AddressSpace::THREADGROUP;
            let end = &mut ends[usize::from(shared)];
            let align = u64::from(global.align.max(Layout::align(&global.ty)).max(1)).next_power_of_two();
            let offset = end.next_multiple_of(align);
            let Some(next) =
                offset.checked_add(Layout::alloc_size(&global.ty)).filter(|end| *end <= MAX_MEMORY)
            else {
                return unsupported(
                    format!("more than {MAX_MEMORY} bytes of global variables (`{}`)", global.name),
                    "pass large tables in buffers",
                );
            };
            *end = next;
            self.addresses[id.index()] = if shared { THREADGROUP } else { CONSTANTS } + offset;
        }
        self.program.constant_memory = Shadowed::new(ends[0] as usize, 1);
        self.program.threadgroup_memory = Shadowed::new(ends[1] as usize, 1);
        for id in self.module.global_ids() {
            self.initialise(id)?;
        }
        Ok(())
    }

    fn initialise(&mut self, id: GlobalId) -> Result<()> {
        let global = self.module.global(id);
        let address = self.addresses[id.index()];
        let Some(value) = global.initializer.as_ref().filter(|_| address != 0) else { return Ok(()) };
        let (shared, offset) = match address.checked_sub(CONSTANTS) {
            Some(offset) => (false, offset),
            None => (true, address - THREADGROUP),
        };
        let mut memory = std::mem::take(if shared {
            &mut self.program.threadgroup_memory
        } else {
            &mut self.program.constant_memory
        });
        let result = self.write_constant(&mut memory, offset, &global.ty, &value.value, 0);
        if shared {
            self.program.threadgroup_memory = memory;
        } else {
            self.program.constant_memory = memory;
        }
        result
    }

    /// Functions of `llvm.global_ctors`, by priority.
    fn constructors(&self) -> Result<Vec<FuncId>> {
        let Some(list) = self.module.global_named("llvm.global_ctors") else { return Ok(Vec::new()) };
        let Some(TypedConstant { value: Constant::Aggregate(entries), .. }) =
            &self.module.global(list).initializer
        else {
            return Ok(Vec::new());
        };
        let mut constructors = Vec::new();
        for entry in entries.iter() {
            let Constant::Aggregate(fields) = &entry.value else {
                return invalid("an entry of llvm.global_ctors is no structure");
            };
            let priority = fields.first().and_then(TypedConstant::as_int).unwrap_or(65535);
            match fields.get(1).map(|field| strip_casts(&field.value)) {
                Some(Constant::Function(function)) => constructors.push((priority, *function)),
                Some(Constant::Zero) | None => {}
                Some(_) => return invalid("an entry of llvm.global_ctors names no function"),
            }
        }
        constructors.sort_by_key(|(priority, _)| *priority);
        Ok(constructors.into_iter().map(|(_, function)| function).collect())
    }
}

fn strip_casts(constant: &Constant) -> &Constant {
    let mut constant = constant;
    while let Constant::Expr(expression) = constant {
        match &**expression {
            mw_air::ConstantExpr::Cast { value, .. } => constant = &value.value,
            _ => break,
        }
    }
    constant
}

/// Width in bits of the integers that hold a scalar.
fn int_bits(ty: &Type) -> Result<u8> {
    match ty.scalar() {
        Some(scalar) if (1..=64).contains(&scalar.bits()) => Ok(scalar.bits() as u8),
        _ => unsupported(format!("values of type {ty}"), "use integers of 1 to 64 bits"),
    }
}
