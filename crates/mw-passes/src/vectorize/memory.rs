//! Loads and stores of device, constant and threadgroup memory.

use mw_air::{
    AddressSpace, Attribute, Attributes, BinaryOp, BlockId, CastOp, FunctionType, Inst, InstId, Layout,
    Scalar, Type, ValueId,
};

use super::values::{Emitter, LANES, Wide};
use crate::PassError;
use crate::uniformity::Shape;

impl Emitter<'_, '_> {
    pub(super) fn emit_load(&mut self, block: BlockId, id: InstId) -> Result<(), PassError> {
        if self.emit_load_group(block, id)? || self.emit_tile(block, id)? {
            return Ok(());
        }
        let data = self.source.inst(id);
        let Inst::Load { ptr, align, volatile, ordering } = data.inst else { unreachable!("is a load") };
        let result = data.result.expect("loads have a value");
        let ty = self.source.value_type(result).clone();
        if self.source.value_type(ptr).address_space() == Some(AddressSpace::THREAD) {
            let value = self.private_load(ptr, &ty)?;
            self.set(result, Wide::Varying(value));
            return Ok(());
        }
        let align = if align == 0 { Layout::align(&ty) } else { align };
        if let Wide::Affine { base, shape: Shape::Strided(stride), .. } = self.wide(ptr)?
            && stride == Layout::store_size(&ty) as i64
        {
            self.prefetch(block, ptr, base, stride * i64::from(LANES));
        }
        let wide = self.load_from(ptr, &ty, align, volatile, ordering.is_some())?;
        self.set(result, wide);
        Ok(())
    }

    /// Loads a `ty` through a source pointer.
    pub(super) fn load_from(
        &mut self,
        ptr: ValueId,
        ty: &Type,
        align: u32,
        volatile: bool,
        atomic: bool,
    ) -> Result<Wide, PassError> {
        let size = Layout::store_size(ty);
        let memory = Scalar::Int(size as u16 * 8);
        let mask = self.mask();
        Ok(match self.wide(ptr)? {
            Wide::Uniform(address) => {
                let ordering = atomic.then_some(mw_air::AtomicOrdering::Monotonic);
                let inst = Inst::Load { ptr: address, align, volatile, ordering };
                let bits = self.b().push(inst, Type::Scalar(memory));
                Wide::Uniform(self.bits_to_value(bits, ty))
            }
            Wide::Affine { base, shape: Shape::Strided(stride), ok } if stride == size as i64 => {
                let bits = match ok {
                    None => self.load_row(memory, base, align, mask)?,
                    Some(ok) => self.if_else(
                        ok,
                        |this| this.load_row(memory, base, align, mask),
                        |this| {
                            let addresses = this.vector(ptr)?;
                            Ok(this.gather(memory, addresses, align, mask))
                        },
                    )?,
                };
                Wide::Varying(self.bits_to_value(bits, ty))
            }
            Wide::Affine { .. } | Wide::Varying(_) => {
                let addresses = self.vector(ptr)?;
                let bits = self.gather(memory, addresses, align, mask);
                Wide::Varying(self.bits_to_value(bits, ty))
            }
        })
    }

    pub(super) fn emit_store(&mut self, id: InstId) -> Result<(), PassError> {
        if self.emit_store_group(id)? {
            return Ok(());
        }
        let data = self.source.inst(id);
        let Inst::Store { ptr, value, align, volatile, .. } = data.inst else { unreachable!("is a store") };
        let ty = self.source.value_type(value).clone();
        let align = if align == 0 { Layout::align(&ty) } else { align };
        self.store_to(ptr, value, &ty, align, volatile)
    }

    /// Stores a source value through a source pointer, in active lanes.
    pub(super) fn store_to(
        &mut self,
        ptr: ValueId,
        value: ValueId,
        ty: &Type,
        align: u32,
        volatile: bool,
    ) -> Result<(), PassError> {
        if self.source.value_type(ptr).address_space() == Some(AddressSpace::THREAD) {
            let vector = self.vector(value)?;
            return self.private_store(ptr, vector, ty);
        }
        let size = Layout::store_size(ty);
        let mask = self.mask();
        match self.wide(ptr)? {
            Wide::Uniform(address) => {
                let scalar = match self.wide(value)? {
                    Wide::Uniform(scalar) => scalar,
                    Wide::Affine { .. } | Wide::Varying(_) => {
                        let vector = self.vector(value)?;
                        self.last_active(vector, mask)
                    }
                };
                let bits = self.value_bits(scalar, ty);
                self.b().push_void(Inst::Store {
                    ptr: address,
                    value: bits,
                    align,
                    volatile,
                    ordering: None,
                });
                Ok(())
            }
            Wide::Affine { base, shape: Shape::Strided(stride), ok } if stride == size as i64 => {
                let vector = self.vector(value)?;
                let bits = self.value_bits(vector, ty);
                match ok {
                    None => self.store_row(base, bits, align, mask),
                    Some(ok) => self.if_else_void(
                        ok,
                        |this| this.store_row(base, bits, align, mask),
                        |this| {
                            let addresses = this.vector(ptr)?;
                            this.scatter(addresses, bits, align, mask)
                        },
                    ),
                }
            }
            Wide::Affine { .. } | Wide::Varying(_) => {
                let vector = self.vector(value)?;
                let bits = self.value_bits(vector, ty);
                let addresses = self.vector(ptr)?;
                self.scatter(addresses, bits, align, mask)
            }
        }
    }

    /// The value of the highest active lane.
    fn last_active(&mut self, vector: ValueId, mask: ValueId) -> ValueId {
        let bits = self.mask_bits(mask);
        let no = self.b().int(&Type::I1, 0);
        let zeros = self.call_value("llvm.ctlz.i32", vec![bits, no], &Type::I32);
        let mut b = self.b();
        let top = b.int(&Type::I32, 31);
        let lane = b.binary(BinaryOp::Sub, top, zeros);
        let lane = b.binary(BinaryOp::And, lane, top);
        let ty = Type::Scalar(b.ty(vector).scalar().expect("vector"));
        b.push(Inst::ExtractElement { vector, index: lane }, ty)
    }

    /// 32 elements side by side from `base`, in active lanes; zero in the others.
    pub(super) fn load_row(
        &mut self,
        memory: Scalar,
        base: ValueId,
        align: u32,
        mask: ValueId,
    ) -> Result<ValueId, PassError> {
        let vector = Type::Vector(memory, LANES);
        if self.shared.options.masked_memory {
            return Ok(self.masked_load(&vector, base, align, mask));
        }
        let all = self.all(mask);
        self.if_else(
            all,
            |this| Ok(this.b().load(&vector, base, align)),
            |this| {
                let addresses = this.spread(base, Shape::Strided(i64::from(memory.bits() / 8)));
                Ok(this.gather(memory, addresses, align, mask))
            },
        )
    }

    fn store_row(
        &mut self,
        base: ValueId,
        bits: ValueId,
        align: u32,
        mask: ValueId,
    ) -> Result<(), PassError> {
        if self.shared.options.masked_memory {
            self.masked_store(base, bits, align, mask);
            return Ok(());
        }
        let all = self.all(mask);
        let size = self.function.value_type(bits).scalar().expect("vector").bits() / 8;
        self.if_else_void(
            all,
            |this| {
                this.b().store(base, bits, align);
                Ok(())
            },
            |this| {
                let addresses = this.spread(base, Shape::Strided(i64::from(size)));
                this.scatter(addresses, bits, align, mask)
            },
        )
    }

    pub(super) fn masked_load(&mut self, ty: &Type, base: ValueId, align: u32, mask: ValueId) -> ValueId {
        let (scalar, lanes) = (ty.scalar().expect("vector"), ty.lanes().expect("vector"));
        let zero = self.b().zero(ty);
        let name = format!("llvm.masked.load.v{lanes}{}.p0", scalar.suffix());
        self.call_aligned(&name, vec![base, mask, zero], 0, align, ty).expect("loads have a value")
    }

    pub(super) fn masked_store(&mut self, base: ValueId, bits: ValueId, align: u32, mask: ValueId) {
        let ty = self.function.value_type(bits).clone();
        let (scalar, lanes) = (ty.scalar().expect("vector"), ty.lanes().expect("vector"));
        let name = format!("llvm.masked.store.v{lanes}{}.p0", scalar.suffix());
        self.call_aligned(&name, vec![bits, base, mask], 1, align, &Type::Void);
    }

    /// One element from each lane's address; zero in inactive lanes.
    pub(super) fn gather(
        &mut self,
        memory: Scalar,
        addresses: ValueId,
        align: u32,
        mask: ValueId,
    ) -> ValueId {
        let size = memory.bits() / 8;
        if size >= 4 {
            let ty = Type::Vector(memory, LANES);
            let zero = self.b().zero(&ty);
            let name = format!("llvm.masked.gather.v{LANES}{}.v{LANES}p0", memory.suffix());
            let align = align.min(size);
            return self
                .call_aligned(&name, vec![addresses, mask, zero], 0, align, &ty)
                .expect("gathers have a value");
        }
        if align < size {
            // A 16-bit element at an odd address may straddle two words.
            let low = self.gather(Scalar::Int(8), addresses, 1, mask);
            let mut b = self.b();
            let one = b.int(&Type::I64, 1);
            let next = b.gep(&Type::I8, addresses, vec![one]);
            let high = self.gather(Scalar::Int(8), next, 1, mask);
            let short = Type::Vector(Scalar::Int(16), LANES);
            let mut b = self.b();
            let (low, high) = (b.cast(CastOp::ZExt, low, &short), b.cast(CastOp::ZExt, high, &short));
            let eight = b.int(&short, 8);
            let high = b.binary(BinaryOp::Shl, high, eight);
            return b.binary(BinaryOp::Or, low, high);
        }
        // Vector units gather words. The word around an aligned smaller element lies in the same page, so
        // reading it is harmless.
        let long = Type::Vector(Scalar::Int(64), LANES);
        let word = Type::Vector(Scalar::Int(32), LANES);
        let mut b = self.b();
        let numbers = b.cast(CastOp::PtrToInt, addresses, &long);
        let three = b.int(&long, 3);
        let within = b.binary(BinaryOp::And, numbers, three);
        let zero = b.int(&long, 0);
        let back = b.binary(BinaryOp::Sub, zero, within);
        let words = b.gep(&Type::I8, addresses, vec![back]);
        let value = self.gather(Scalar::Int(32), words, 4, mask);
        let mut b = self.b();
        let within = b.cast(CastOp::Trunc, within, &word);
        let three = b.int(&word, 3);
        let count = b.binary(BinaryOp::Shl, within, three);
        let shifted = b.binary(BinaryOp::LShr, value, count);
        b.cast(CastOp::Trunc, shifted, &Type::Vector(memory, LANES))
    }

    /// One element to each active lane's address; the highest lane wins where addresses are equal.
    pub(super) fn scatter(
        &mut self,
        addresses: ValueId,
        bits: ValueId,
        align: u32,
        mask: ValueId,
    ) -> Result<(), PassError> {
        let memory = self.function.value_type(bits).scalar().expect("vector");
        let size = memory.bits() / 8;
        let align = align.min(size);
        if size >= 4 && self.shared.options.masked_memory {
            let name = format!("llvm.masked.scatter.v{LANES}{}.v{LANES}p0", memory.suffix());
            self.call_aligned(&name, vec![bits, addresses, mask], 1, align, &Type::Void);
            return Ok(());
        }
        let (addresses, values) = (self.spill(addresses), self.spill(bits));
        self.for_each_lane(mask, |this, lane| {
            let (address, value) = (this.lane_of(addresses, lane), this.lane_of(values, lane));
            this.b().store(address, value, align);
            Ok(())
        })
    }

    /// Calls an LLVM memory intrinsic with an alignment on argument `pointer`.
    fn call_aligned(
        &mut self,
        name: &str,
        args: Vec<ValueId>,
        pointer: usize,
        align: u32,
        ret: &Type,
    ) -> Option<ValueId> {
        let params = args.iter().map(|arg| self.function.value_type(*arg).clone()).collect();
        let ty = FunctionType { ret: ret.clone(), params, varargs: false };
        let callee = self.shared.external(name, &ty);
        let mut arg_attrs = vec![Attributes::default(); args.len()];
        arg_attrs[pointer].0.push(Attribute::Int("align".into(), u64::from(align)));
        self.b().call_with(callee, &ty, args, arg_attrs)
    }
}
