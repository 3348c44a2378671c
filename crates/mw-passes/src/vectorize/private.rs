//! Private memory that stays in memory: interleaved by lane.
//!
//! All allocas of a function share one arena. Byte `o` of lane `L` lies at
//! `(o / G)·32·G + L·G + o % G`, where the granule `G` is the one access size of the function, or 4: so an
//! access at the same offset in all lanes is one vector access. A private pointer is the `i32` offset `o`.

use mw_air::{AddressSpace, BinaryOp, CastOp, Function, Inst, InstId, Layout, Scalar, Type, ValueId};
use rustc_hash::FxHashMap;

use super::values::{Emitter, LANES, Wide};
use crate::PassError;

/// Bytes before and behind a lane's private memory that a kernel may touch without harm, where it computes
/// addresses. Apple-compiled kernels do: MLX's `layer_norm` clears the elements past a row from a negative
/// index on. The interpreter allows as much.
const GUARD_BYTES: u32 = 4096;

/// Where the allocas of a function lie.
#[derive(Debug, Default)]
pub(super) struct PrivateMemory {
    offsets: FxHashMap<ValueId, u32>,
    bytes_per_lane: u32,
    granule: u32,
    arena: Option<ValueId>,
}

impl PrivateMemory {
    pub(super) fn new(function: &Function) -> Result<Self, PassError> {
        let mut memory = Self::default();
        let mut sizes: Option<u32> = None;
        let mut mixed = false;
        let guarded = computes_private_addresses(function);
        if guarded {
            memory.bytes_per_lane = GUARD_BYTES;
        }
        let mut see = |function: &Function, ptr: ValueId, ty: &Type, align: u32| {
            if function.value_type(ptr).address_space() == Some(AddressSpace::THREAD) {
                let size = Layout::store_size(ty) as u32;
                let align = if align == 0 { Layout::align(ty) } else { align };
                mixed |= *sizes.get_or_insert(size) != size || align < size;
            }
        };
        for block in &function.blocks {
            for id in &block.insts {
                let data = function.inst(*id);
                match &data.inst {
                    Inst::Alloca { ty, align, .. } => {
                        let result = data.result.expect("allocas have a value");
                        let align = (*align).max(Layout::align(ty)).clamp(8, 64);
                        let offset = memory.bytes_per_lane.next_multiple_of(align);
                        memory.offsets.insert(result, offset);
                        let size = u32::try_from(Layout::alloc_size(ty))
                            .ok()
                            .filter(|size| *size <= 1 << 20)
                            .ok_or_else(|| {
                                PassError::unsupported(format!("a private variable of type `{ty}`"))
                            })?;
                        memory.bytes_per_lane = offset + size;
                    }
                    Inst::Load { ptr, align, .. } => {
                        see(
                            function,
                            *ptr,
                            function.value_type(data.result.expect("loads have a value")),
                            *align,
                        );
                    }
                    Inst::Store { ptr, value, align, .. } => {
                        see(function, *ptr, function.value_type(*value), *align);
                    }
                    Inst::Call(call) => {
                        for arg in &call.args {
                            see(function, *arg, &Type::I32, 4);
                        }
                    }
                    _ => {}
                }
            }
        }
        memory.granule = match sizes {
            Some(size @ (1 | 2 | 4 | 8)) if !mixed => size,
            _ => 4,
        };
        memory.bytes_per_lane = memory.bytes_per_lane.next_multiple_of(8);
        if guarded {
            memory.bytes_per_lane += GUARD_BYTES;
        }
        Ok(memory)
    }

    pub(super) fn bytes_per_lane(&self) -> u32 {
        self.bytes_per_lane
    }
}

/// Whether a private address depends on more than constants.
fn computes_private_addresses(function: &Function) -> bool {
    let private = |value: ValueId| function.value_type(value).address_space() == Some(AddressSpace::THREAD);
    function.blocks.iter().flat_map(|block| &block.insts).any(|id| match &function.inst(*id).inst {
        Inst::Gep { base, indices, .. } => {
            private(*base) && indices.iter().any(|index| function.as_int(*index).is_none())
        }
        _ => false,
    })
}

/// Where an access goes: the vector address of one granule, and the bit offset in it when the access is
/// smaller.
enum Place {
    /// 32 granules side by side.
    Row(ValueId),
    /// One address for each lane.
    Scattered(ValueId),
}

impl Emitter<'_, '_> {
    pub(super) fn emit_private_memory(&mut self) {
        if self.private.bytes_per_lane == 0 {
            return;
        }
        let ty = Type::array(Type::I8, u64::from(self.private.bytes_per_lane) * u64::from(LANES));
        let slots = mw_air::BlockId(0);
        let arena = mw_air::Builder::at(&mut self.function, slots).alloca(&ty, 64);
        self.private.arena = Some(arena);
    }

    pub(super) fn emit_alloca(&mut self, id: InstId) {
        let result = self.source.inst(id).result.expect("allocas have a value");
        let offset = self.private.offsets.get(&result).copied().unwrap_or(0);
        let value = self.function.const_int(Type::I32, u64::from(offset));
        self.set(result, Wide::Uniform(value));
    }

    /// Address arithmetic on offsets; all operands are scalars, or all are vectors.
    pub(super) fn private_gep(
        &mut self,
        source: &Type,
        base: ValueId,
        indices: &[ValueId],
        values: &[ValueId],
    ) -> Result<ValueId, PassError> {
        let target = self.function.value_type(base).clone();
        let mut offset = base;
        let mut ty = source.clone();
        for (position, (index, value)) in indices.iter().zip(values).enumerate() {
            if position > 0 {
                if let Type::Struct(structure) = &ty {
                    let field = self.source.as_int(*index).unwrap_or(0);
                    let bytes = Layout::field_offset(structure, field as usize);
                    ty = ty.element(field).ok_or_else(|| PassError::invalid("no such field".to_owned()))?;
                    let mut b = self.b();
                    let bytes = b.int(&target, bytes);
                    offset = b.binary(BinaryOp::Add, offset, bytes);
                    continue;
                }
                ty = ty.element(0).ok_or_else(|| PassError::invalid(format!("`{ty}` has no elements")))?;
            }
            let size = Layout::alloc_size(&ty);
            let from = self.function.value_type(*value).clone();
            let bits = from.scalar().expect("integer").bits();
            let mut b = self.b();
            let narrow = match bits {
                33.. => b.cast(CastOp::Trunc, *value, &target),
                32 => *value,
                _ => b.cast(CastOp::SExt, *value, &target),
            };
            let scale = b.int(&target, size);
            let bytes = b.binary(BinaryOp::Mul, narrow, scale);
            offset = b.binary(BinaryOp::Add, offset, bytes);
        }
        Ok(offset)
    }

    /// The granule that holds byte `offset` (plus `extra`) in each lane.
    fn place(&mut self, ptr: ValueId, extra: u32) -> Result<(Place, ValueId), PassError> {
        let granule = self.private.granule;
        let arena = self
            .private
            .arena
            .ok_or_else(|| PassError::unsupported("a private pointer without private memory".to_owned()))?;
        let uniform = self.is_uniform(ptr);
        let mut offset = if uniform { self.uniform(ptr)? } else { self.vector(ptr)? };
        let ty = self.function.value_type(offset).clone();
        let mut b = self.b();
        if extra != 0 {
            let extra = b.int(&ty, u64::from(extra));
            offset = b.binary(BinaryOp::Add, offset, extra);
        }
        let low = b.int(&ty, u64::from(granule - 1));
        let within = b.binary(BinaryOp::And, offset, low);
        let whole = b.binary(BinaryOp::Xor, offset, within);
        let lanes = b.int(&ty, u64::from(LANES));
        let row = b.binary(BinaryOp::Mul, whole, lanes);
        if uniform {
            let row = b.cast(CastOp::ZExt, row, &Type::I64);
            return Ok((Place::Row(b.gep(&Type::I8, arena, vec![row])), within));
        }
        let steps = self.iota(Scalar::Int(32), i64::from(granule));
        let mut b = self.b();
        let at = b.binary(BinaryOp::Add, row, steps);
        let at = b.cast(CastOp::ZExt, at, &Type::Vector(Scalar::Int(64), LANES));
        let address = b.gep(&Type::I8, arena, vec![at]);
        Ok((Place::Scattered(address), within))
    }

    fn read_granule(&mut self, ptr: ValueId, extra: u32) -> Result<(ValueId, ValueId), PassError> {
        let scalar = Scalar::Int(self.private.granule as u16 * 8);
        let ty = Type::Vector(scalar, LANES);
        let granule = self.private.granule;
        let (place, within) = self.place(ptr, extra)?;
        let value = match place {
            Place::Row(address) => self.b().load(&ty, address, granule),
            Place::Scattered(addresses) => {
                let mask = self.mask();
                self.gather(scalar, addresses, granule, mask)
            }
        };
        Ok((value, within))
    }

    fn write_granule(&mut self, ptr: ValueId, extra: u32, value: ValueId) -> Result<(), PassError> {
        let (mask, granule) = (self.mask(), self.private.granule);
        let (place, _) = self.place(ptr, extra)?;
        match place {
            Place::Row(address) => {
                // The row is ours alone: lanes that do not write keep what they have.
                let ty = self.function.value_type(value).clone();
                let old = self.b().load(&ty, address, granule);
                let mut b = self.b();
                let new = b.select(mask, value, old);
                b.store(address, new, granule);
                Ok(())
            }
            Place::Scattered(addresses) => self.scatter(addresses, value, granule, mask),
        }
    }

    /// A load from private memory: `<32 x T>` in lowered form.
    pub(super) fn private_load(&mut self, ptr: ValueId, ty: &Type) -> Result<ValueId, PassError> {
        let size = Layout::store_size(ty) as u32;
        let granule = self.private.granule;
        let bits = if size == granule {
            self.read_granule(ptr, 0)?.0
        } else if size == 8 && granule == 4 {
            let (low, high) = (self.read_granule(ptr, 0)?.0, self.read_granule(ptr, 4)?.0);
            let wide = Type::Vector(Scalar::Int(64), LANES);
            let mut b = self.b();
            let (low, high) = (b.cast(CastOp::ZExt, low, &wide), b.cast(CastOp::ZExt, high, &wide));
            let count = b.int(&wide, 32);
            let high = b.binary(BinaryOp::Shl, high, count);
            b.binary(BinaryOp::Or, low, high)
        } else {
            let (value, within) = self.read_granule(ptr, 0)?;
            let narrow = Type::Vector(Scalar::Int(size as u16 * 8), LANES);
            let count = self.bit_count(within);
            let mut b = self.b();
            let shifted = b.binary(BinaryOp::LShr, value, count);
            b.cast(CastOp::Trunc, shifted, &narrow)
        };
        Ok(self.bits_to_value(bits, ty))
    }

    /// A store to private memory under the current mask.
    pub(super) fn private_store(&mut self, ptr: ValueId, value: ValueId, ty: &Type) -> Result<(), PassError> {
        let size = Layout::store_size(ty) as u32;
        let granule = self.private.granule;
        let bits = self.value_bits(value, ty);
        if size == granule {
            return self.write_granule(ptr, 0, bits);
        }
        let word = Type::Vector(Scalar::Int(32), LANES);
        if size == 8 && granule == 4 {
            let mut b = self.b();
            let low = b.cast(CastOp::Trunc, bits, &word);
            let count = b.int(&Type::Vector(Scalar::Int(64), LANES), 32);
            let high = b.binary(BinaryOp::LShr, bits, count);
            let high = b.cast(CastOp::Trunc, high, &word);
            self.write_granule(ptr, 0, low)?;
            return self.write_granule(ptr, 4, high);
        }
        let (old, within) = self.read_granule(ptr, 0)?;
        let count = self.bit_count(within);
        let mut b = self.b();
        let bits = b.cast(CastOp::ZExt, bits, &word);
        let ones = b.int(&word, (1 << (size * 8)) - 1);
        let covered = b.binary(BinaryOp::Shl, ones, count);
        let all = b.int(&word, u64::from(u32::MAX));
        let kept = b.binary(BinaryOp::Xor, covered, all);
        let kept = b.binary(BinaryOp::And, old, kept);
        let moved = b.binary(BinaryOp::Shl, bits, count);
        let new = b.binary(BinaryOp::Or, kept, moved);
        self.write_granule(ptr, 0, new)
    }

    /// Eight times the byte offset, as a vector.
    fn bit_count(&mut self, within: ValueId) -> ValueId {
        let within = if matches!(self.function.value_type(within), Type::Vector(..)) {
            within
        } else {
            self.splat(within)
        };
        let ty = self.function.value_type(within).clone();
        let mut b = self.b();
        let eight = b.int(&ty, 8);
        b.binary(BinaryOp::Mul, within, eight)
    }

    /// A vector of memory-sized integers as lowered values of `ty`.
    pub(super) fn bits_to_value(&mut self, bits: ValueId, ty: &Type) -> ValueId {
        let lowered =
            self.function.value_type(bits).with_scalar(super::values::lowered(ty.scalar().expect("scalar")));
        let from = self.function.value_type(bits).scalar().expect("integer").bits();
        let mut b = self.b();
        match lowered.scalar().expect("scalar") {
            Scalar::Int(width) if u32::from(width) < from => b.cast(CastOp::Trunc, bits, &lowered),
            Scalar::Int(_) => bits,
            Scalar::Ptr(_) => b.cast(CastOp::IntToPtr, bits, &lowered),
            Scalar::Half | Scalar::BFloat | Scalar::Float | Scalar::Double => {
                b.cast(CastOp::Bitcast, bits, &lowered)
            }
        }
    }

    /// Lowered values of `ty` as memory-sized integers.
    pub(super) fn value_bits(&mut self, value: ValueId, ty: &Type) -> ValueId {
        let size = Layout::store_size(ty) as u16 * 8;
        let from = self.function.value_type(value).clone();
        let target = from.with_scalar(Scalar::Int(size));
        let mut b = self.b();
        match from.scalar().expect("scalar") {
            Scalar::Int(width) if width < size => b.cast(CastOp::ZExt, value, &target),
            Scalar::Int(_) => value,
            Scalar::Ptr(_) => b.cast(CastOp::PtrToInt, value, &target),
            Scalar::Half | Scalar::BFloat | Scalar::Float | Scalar::Double => {
                b.cast(CastOp::Bitcast, value, &target)
            }
        }
    }
}
