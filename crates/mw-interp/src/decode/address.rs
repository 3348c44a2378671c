//! Memory instructions: reserving it, addresses, loads and stores.

use mw_air::{BlockId, Function, Layout, Type, ValueId};

use super::block::FunctionDecoder;
use super::layout::{self, Leaf};
use super::{Result, int_bits, invalid, unsupported};
use crate::exec::MAX_PRIVATE;
use crate::number::{self, IntOp};
use crate::program::{Op, Reg};

impl FunctionDecoder<'_, '_> {
    pub(super) fn alloca(
        &mut self,
        ty: &Type,
        count: Option<ValueId>,
        align: u32,
        block: BlockId,
    ) -> Result<Reg> {
        let size = Layout::alloc_size(ty);
        let align = align.max(Layout::align(ty)).clamp(1, 1 << 16).next_power_of_two();
        let count = match count {
            Some(count) => self.scalar(count)?,
            None => self.constant(1),
        };
        let dst = self.fresh()?;
        if size > u64::from(MAX_PRIVATE) {
            return unsupported(format!("{size} bytes of private memory"), "use device memory");
        }
        match self.module.known(count) {
            Some(known) if block == Function::ENTRY => {
                let offset = u64::from(self.code.private).next_multiple_of(u64::from(align));
                let Some(end) = size.checked_mul(known).and_then(|size| size.checked_add(offset)) else {
                    return unsupported("private memory of that size", "use device memory");
                };
                if end > u64::from(MAX_PRIVATE) {
                    return unsupported(format!("{end} bytes of private memory"), "use device memory");
                }
                self.code.private = end as u32;
                self.emit(Op::Alloca { dst, offset: offset as u32, size: (end - offset) as u32 });
            }
            _ => self.emit(Op::AllocaDynamic { dst, count, size: size as u32, align }),
        }
        Ok(dst)
    }

    pub(super) fn load(&mut self, ptr: ValueId, ty: &Type) -> Result<Vec<Reg>> {
        let ptr = self.scalar(ptr)?;
        let mut out = Vec::new();
        let mut whole: Option<Reg> = None;
        for leaf in layout::leaves(ty)? {
            let offset = offset_of(&leaf)?;
            let bits = leaf.scalar.bits() as u8;
            let dst = self.fresh()?;
            match leaf.packed {
                None => self.emit(Op::Load { dst, ptr, offset, size: leaf.size(), bits }),
                Some((shift, size)) => {
                    // The bytes of the vector are read with its first element.
                    let word = match whole {
                        Some(word) if shift > 0 => word,
                        _ => {
                            let word = self.fresh()?;
                            self.emit(Op::Load { dst: word, ptr, offset, size, bits: size * 8 });
                            whole = Some(word);
                            word
                        }
                    };
                    let part = self.shift(IntOp::LShr, word, u32::from(shift))?;
                    self.emit(Op::Truncate { bits, dst, a: part });
                }
            }
            out.push(dst);
        }
        Ok(out)
    }

    pub(super) fn store(&mut self, ptr: Reg, value: ValueId) -> Result<()> {
        let registers = self.value(value)?;
        let mut whole: Option<(Reg, u32, u8)> = None;
        for (leaf, register) in layout::leaves(self.ty(value))?.into_iter().zip(registers) {
            let offset = offset_of(&leaf)?;
            match leaf.packed {
                None => {
                    self.flush_packed(ptr, &mut whole);
                    self.emit(Op::Store { value: register, ptr, offset, size: leaf.size() });
                }
                Some((shift, size)) => {
                    if shift == 0 {
                        self.flush_packed(ptr, &mut whole);
                    }
                    let part = self.shift(IntOp::Shl, register, u32::from(shift))?;
                    let sum = match whole {
                        None => part,
                        Some((sum, ..)) => {
                            let dst = self.fresh()?;
                            self.emit(Op::Int2 { op: IntOp::Or, bits: 64, dst, a: sum, b: part });
                            dst
                        }
                    };
                    whole = Some((sum, offset, size));
                }
            }
        }
        self.flush_packed(ptr, &mut whole);
        Ok(())
    }

    fn flush_packed(&mut self, ptr: Reg, whole: &mut Option<(Reg, u32, u8)>) {
        if let Some((value, offset, size)) = whole.take() {
            self.emit(Op::Store { value, ptr, offset, size });
        }
    }

    pub(super) fn gep(
        &mut self,
        source: &Type,
        base: ValueId,
        indices: &[ValueId],
        ty: &Type,
    ) -> Result<Vec<Reg>> {
        let bases = self.value(base)?;
        let mut registers = Vec::with_capacity(indices.len());
        let mut widths = Vec::with_capacity(indices.len());
        let mut known = Vec::with_capacity(indices.len());
        for index in indices {
            let values = self.value(*index)?;
            let bits = int_bits(self.ty(*index))?;
            // An index is constant when all its elements are the same one.
            let first = values.first().and_then(|first| self.module.known(*first));
            let same = values.windows(2).all(|pair| pair[0] == pair[1]);
            known.push(first.filter(|_| same).map(|value| number::signed(value, bits)));
            widths.push(bits);
            registers.push(values);
        }
        let walk = layout::walk(source, &known)?;
        let mut out = Vec::new();
        for lane in 0..layout::scalar_count(ty)? {
            let pick = |values: &[Reg]| values.get(if values.len() == 1 { 0 } else { lane }).copied();
            let Some(mut address) = pick(&bases) else {
                return invalid("getelementptr of a vector of another size");
            };
            let mut offset = walk.offset;
            for (position, stride) in &walk.terms {
                let Some(index) = pick(&registers[*position]) else {
                    return invalid("getelementptr with an index vector of another size");
                };
                let dst = self.fresh()?;
                let (bits, base) = (widths[*position], address);
                self.emit(Op::Index { bits, dst, base, index, stride: *stride, offset });
                (address, offset) = (dst, 0);
            }
            if offset != 0 {
                let dst = self.fresh()?;
                self.emit(Op::Offset { dst, base: address, offset });
                address = dst;
            }
            out.push(address);
        }
        Ok(out)
    }
}

fn offset_of(leaf: &Leaf) -> Result<u32> {
    u32::try_from(leaf.offset).or_else(|_| unsupported("a value of more than 4 GiB", "use smaller values"))
}
