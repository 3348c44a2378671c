//! Places: addresses of objects, and reading and writing them.

use mw_air::{AddressSpace, CastOp, Flags, FunctionType, Inst, Layout, Scalar, Type, ValueId};
use mw_msl::hir::{ExprKind, LocalId, Place, PlaceKind};
use mw_msl::types::{self, QualType, TypeId};
use mw_source::Span;

use crate::context::FunctionLowering;
use crate::error::LowerError;
use crate::types::{is_aggregate, memory_scalar, value_type};

/// Objects of up to this many scalars are copied one by one, others as bytes.
const MAX_COPIED_PARTS: u32 = 16;

/// How a local is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Local {
    /// Initialised once, then only read.
    Value(ValueId),
    /// At an address in thread memory.
    Memory(ValueId),
}

/// Where an object is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub ptr: ValueId,
    pub align: u32,
    pub is_volatile: bool,
    pub is_coherent: bool,
}

impl Address {
    /// An ordinary object at `ptr`.
    pub(crate) fn new(ptr: ValueId, align: u64) -> Self {
        Self { ptr, align: align.clamp(1, 1 << 30) as u32, is_volatile: false, is_coherent: false }
    }
}

/// A place, as far as it has an address.
#[derive(Clone, Debug)]
pub(crate) enum Lvalue {
    Address(Address),
    /// Components of a vector.
    Swizzle(Address, types::Scalar, Vec<u8>),
    /// A component of a vector by a computed index: read or written through the whole vector, so that the
    /// vector stays a value.
    Component {
        vector: Address,
        ty: TypeId,
        index: ValueId,
    },
}

impl FunctionLowering<'_, '_> {
    /// Size and alignment of a type.
    pub(crate) fn layout(&self, id: TypeId) -> (u64, u64) {
        self.program().layout(id)
    }

    /// The address space of a pointer value.
    pub(crate) fn space_of(&self, ptr: ValueId) -> AddressSpace {
        self.function.value_type(ptr).address_space().unwrap_or(AddressSpace::THREAD)
    }

    /// A fresh object in thread memory.
    pub(crate) fn temporary(&mut self, ty: TypeId, span: Span) -> Result<Address, LowerError> {
        let memory = self.memory_type(ty, span)?;
        let align = self.layout(ty).1.max(u64::from(Layout::align(&memory)));
        let ptr = self.alloca(&memory, align as u32);
        Ok(Address::new(ptr, align))
    }

    /// Brings a local to life in memory.
    pub(crate) fn local_memory(&mut self, local: LocalId, span: Span) -> Result<Address, LowerError> {
        let data = self.local_data(local, span)?;
        let memory = self.memory_type(data.0, span)?;
        let align = data.1.max(u64::from(Layout::align(&memory)));
        if let Some(Some(Local::Memory(ptr))) = self.locals.get(local.0 as usize) {
            return Ok(Address::new(*ptr, align));
        }
        let ptr = self.alloca(&memory, align as u32);
        self.set_local(local, Local::Memory(ptr), span)?;
        Ok(Address::new(ptr, align))
    }

    /// Type and alignment of a local.
    pub(crate) fn local_data(&self, local: LocalId, span: Span) -> Result<(TypeId, u64), LowerError> {
        let data = self
            .source_locals
            .get(local.0 as usize)
            .ok_or_else(|| LowerError::malformed(span, "a local that its function does not have"))?;
        Ok((data.ty.ty, data.align_bytes.max(self.layout(data.ty.ty).1)))
    }

    pub(crate) fn set_local(&mut self, local: LocalId, state: Local, span: Span) -> Result<(), LowerError> {
        match self.locals.get_mut(local.0 as usize) {
            Some(slot) => {
                *slot = Some(state);
                Ok(())
            }
            None => Err(LowerError::malformed(span, "a local that its function does not have")),
        }
    }

    /// The address of a place. A component of a vector, or a swizzle of one, has one too.
    pub(crate) fn address(&mut self, place: &Place) -> Result<Address, LowerError> {
        match self.lvalue(place, false)? {
            Lvalue::Address(address) => Ok(address),
            Lvalue::Swizzle(vector, scalar, components) if components.len() == 1 => {
                Ok(self.component(vector, scalar, u32::from(components[0])))
            }
            Lvalue::Swizzle(..) | Lvalue::Component { .. } => {
                Err(LowerError::malformed(place.span, "the address of several components"))
            }
        }
    }

    /// The place for reading or writing. Components by a computed index keep the vector whole if
    /// `whole_vectors`.
    fn lvalue(&mut self, place: &Place, whole_vectors: bool) -> Result<Lvalue, LowerError> {
        self.enter(place.span)?;
        let result = self.lvalue_inner(place, whole_vectors);
        self.depth -= 1;
        let mut lvalue = result?;
        if let Lvalue::Address(address) = &mut lvalue {
            address.is_volatile |= place.ty.is_volatile;
            address.is_coherent |= place.ty.is_coherent;
        }
        Ok(lvalue)
    }

    fn lvalue_inner(&mut self, place: &Place, whole_vectors: bool) -> Result<Lvalue, LowerError> {
        let span = place.span;
        match &place.kind {
            PlaceKind::Local(local) => match self.locals.get(local.0 as usize).copied().flatten() {
                Some(Local::Memory(ptr)) => {
                    let align = self.local_data(*local, span)?.1;
                    Ok(Lvalue::Address(Address::new(ptr, align)))
                }
                Some(Local::Value(value)) => {
                    // Its address is asked for after all: a copy that nobody writes to.
                    let (ty, _) = self.local_data(*local, span)?;
                    let address = self.temporary(ty, span)?;
                    self.store_object(address, ty, value, span)?;
                    Ok(Lvalue::Address(address))
                }
                None => Ok(Lvalue::Address(self.local_memory(*local, span)?)),
            },
            PlaceKind::Global(global) => {
                let (id, space) = self.module.global(*global)?;
                let align = self.program().global(*global).align_bytes.max(self.layout(place.ty.ty).1);
                let ptr = self.constant(mw_air::TypedConstant {
                    ty: Type::ptr(space),
                    value: mw_air::Constant::Global(id),
                });
                Ok(Lvalue::Address(Address::new(ptr, align)))
            }
            PlaceKind::Deref(pointer) => {
                let target = self.pointee(pointer.ty);
                let ptr = self.value(pointer)?;
                let mut address = Address::new(ptr, self.layout(place.ty.ty).1);
                if let Some(target) = target {
                    address.is_volatile = target.is_volatile;
                    address.is_coherent = target.is_coherent;
                }
                Ok(Lvalue::Address(address))
            }
            PlaceKind::Field(base, index) => {
                let types::Type::Record(record) = self.shape(base.ty.ty) else {
                    return Err(LowerError::malformed(span, "a member of what is no record"));
                };
                let address = self.address(base)?;
                self.field(address, *record, *index, span).map(Lvalue::Address)
            }
            PlaceKind::Index(base, index) => self.index(place, base, index, whole_vectors),
            PlaceKind::Swizzle(base, components) => {
                let Some(scalar) = self.element(base.ty.ty) else {
                    return Err(LowerError::malformed(span, "components of what is no vector"));
                };
                match self.lvalue(base, false)? {
                    Lvalue::Address(address) => Ok(Lvalue::Swizzle(address, scalar, components.clone())),
                    Lvalue::Swizzle(address, scalar, outer) => {
                        let picked = components.iter().filter_map(|c| outer.get(usize::from(*c)).copied());
                        Ok(Lvalue::Swizzle(address, scalar, picked.collect()))
                    }
                    Lvalue::Component { .. } => Err(LowerError::malformed(span, "components of a component")),
                }
            }
            PlaceKind::ThreadElements(base) => {
                // The lane's own two elements are the first two.
                let address = self.address(base)?;
                Ok(Lvalue::Address(Address { align: self.layout(place.ty.ty).1 as u32, ..address }))
            }
            PlaceKind::Temporary(local, value) => {
                let address = self.local_memory(*local, span)?;
                self.initialise(address, place.ty.ty, value)?;
                Ok(Lvalue::Address(address))
            }
        }
    }

    /// A member of a record at an address.
    pub(crate) fn field(
        &mut self,
        base: Address,
        record: types::RecordId,
        index: u32,
        span: Span,
    ) -> Result<Address, LowerError> {
        let layout = self.module.record_layout(record, span)?;
        let data = self.program().record(record);
        let (Some(position), Some(field)) =
            (layout.positions.get(index as usize), data.fields.get(index as usize))
        else {
            return Err(LowerError::malformed(span, "a member that its record does not have"));
        };
        let has_no_room = *position == crate::types::NO_ROOM;
        let (zero, position) = (self.i32(0), self.i32(*position));
        let ptr = if data.is_union || has_no_room {
            base.ptr
        } else {
            self.gep(&layout.ty, base.ptr, vec![zero, position])
        };
        // The offset says how far the base's alignment reaches.
        let reach = if field.offset_bytes == 0 {
            u64::from(base.align)
        } else {
            1 << field.offset_bytes.trailing_zeros()
        };
        let align = self.layout(field.ty.ty).1.min(reach.min(u64::from(base.align))).max(1);
        Ok(Address { ptr, align: align as u32, ..base })
    }

    fn index(
        &mut self,
        place: &Place,
        base: &Place,
        index: &mw_msl::hir::Expr,
        whole_vectors: bool,
    ) -> Result<Lvalue, LowerError> {
        let span = place.span;
        match self.shape(base.ty.ty) {
            types::Type::Vector(scalar, _) | types::Type::PackedVector(scalar, _) => {
                let scalar = *scalar;
                match self.lvalue(base, false)? {
                    Lvalue::Address(address) => {
                        let constant = constant_index(index);
                        if let Some(constant) = constant {
                            return Ok(Lvalue::Address(self.component(address, scalar, constant)));
                        }
                        let is_private = self.space_of(address.ptr) == AddressSpace::THREAD;
                        if whole_vectors && is_private && !address.is_volatile {
                            let index = self.index_value(index)?;
                            return Ok(Lvalue::Component { vector: address, ty: base.ty.ty, index });
                        }
                        let offset = self.index_value(index)?;
                        let ptr = self.gep(&Type::Scalar(memory_scalar(scalar)), address.ptr, vec![offset]);
                        Ok(Lvalue::Address(Address {
                            ptr,
                            align: address.align.min(scalar.size_bytes() as u32),
                            ..address
                        }))
                    }
                    Lvalue::Swizzle(address, scalar, components) => {
                        match constant_index(index).and_then(|index| components.get(index as usize)) {
                            Some(component) => {
                                Ok(Lvalue::Address(self.component(address, scalar, u32::from(*component))))
                            }
                            None => {
                                Err(LowerError::unsupported(span, "a computed index into picked components"))
                            }
                        }
                    }
                    Lvalue::Component { .. } => Err(LowerError::malformed(span, "an element of a component")),
                }
            }
            types::Type::Array(..)
            | types::Type::UnsizedArray(_)
            | types::Type::Matrix { .. }
            | types::Type::SimdgroupMatrix { .. } => {
                let address = self.address(base)?;
                let element = match self.shape(base.ty.ty) {
                    types::Type::Matrix { element, rows, .. } => {
                        Type::Vector(memory_scalar(*element), u32::from(*rows))
                    }
                    types::Type::SimdgroupMatrix { element, .. } => Type::Scalar(memory_scalar(*element)),
                    _ => self.memory_type(place.ty.ty, span)?,
                };
                let offset = self.index_value(index)?;
                let ptr = self.gep(&element, address.ptr, vec![offset]);
                let align = address.align.min(self.layout(place.ty.ty).1.max(1) as u32);
                Ok(Lvalue::Address(Address { ptr, align, ..address }))
            }
            _ => Err(LowerError::malformed(span, "an element of what has none")),
        }
    }

    /// A component of a vector at an address.
    fn component(&mut self, vector: Address, scalar: types::Scalar, index: u32) -> Address {
        let align = vector.align.min(scalar.size_bytes() as u32);
        if index == 0 {
            return Address { align, ..vector };
        }
        let offset = self.i64(u64::from(index));
        let ptr = self.gep(&Type::Scalar(memory_scalar(scalar)), vector.ptr, vec![offset]);
        Address { ptr, align, ..vector }
    }

    /// An index as 64 bits, extended by its own sign.
    pub(crate) fn index_value(&mut self, index: &mw_msl::hir::Expr) -> Result<ValueId, LowerError> {
        let value = self.value(index)?;
        let is_signed = self.element(index.ty).is_some_and(types::Scalar::is_signed_integer);
        match self.ty(value) {
            Type::Scalar(Scalar::Int(64)) => Ok(value),
            Type::Scalar(Scalar::Int(_)) => {
                if let Some(constant) = self.function.typed_constant(value).and_then(|c| c.as_int()) {
                    let bits = self.ty(value).scalar().map_or(64, Scalar::bits);
                    let shift = 64 - bits;
                    let wide =
                        if is_signed { (((constant << shift) as i64) >> shift) as u64 } else { constant };
                    return Ok(self.i64(wide));
                }
                let op = if is_signed { CastOp::SExt } else { CastOp::ZExt };
                Ok(self.cast(op, value, &Type::I64))
            }
            other => Err(LowerError::malformed(index.span, format!("an index of type {other}"))),
        }
    }

    /// The value in a place whose type is no record and no array.
    pub(crate) fn load_place(&mut self, place: &Place) -> Result<ValueId, LowerError> {
        if let Some(value) = self.local_value(place)? {
            return Ok(value);
        }
        match self.lvalue(place, true)? {
            Lvalue::Address(address) => self.load_object(address, place.ty.ty, place.span),
            Lvalue::Swizzle(address, scalar, components) => {
                let mut parts = Vec::with_capacity(components.len());
                for component in components {
                    let part = self.component(address, scalar, u32::from(component));
                    parts.push(self.load_scalar(part, scalar));
                }
                Ok(if let [single] = parts[..] { single } else { self.vector(&parts) })
            }
            Lvalue::Component { vector, ty, index } => {
                let whole = self.load_object(vector, ty, place.span)?;
                Ok(self.extract_at(whole, index))
            }
        }
    }

    /// The value, if the place is (a component of) a local that is kept as a value.
    fn local_value(&mut self, place: &Place) -> Result<Option<ValueId>, LowerError> {
        match &place.kind {
            PlaceKind::Local(local) => Ok(match self.locals.get(local.0 as usize) {
                Some(Some(Local::Value(value))) => Some(*value),
                _ => None,
            }),
            PlaceKind::Index(base, index)
                if matches!(
                    self.shape(base.ty.ty),
                    types::Type::Vector(..) | types::Type::PackedVector(..)
                ) =>
            {
                let Some(vector) = self.local_value(base)? else { return Ok(None) };
                if let Some(constant) = constant_index(index) {
                    return Ok(Some(self.extract(vector, constant)));
                }
                let index = self.index_value(index)?;
                Ok(Some(self.extract_at(vector, index)))
            }
            PlaceKind::Swizzle(base, components) => {
                let Some(vector) = self.local_value(base)? else { return Ok(None) };
                Ok(Some(self.swizzle(vector, components)))
            }
            _ => Ok(None),
        }
    }

    /// Components of a vector value by number; one component is a scalar.
    pub(crate) fn swizzle(&mut self, vector: ValueId, components: &[u8]) -> ValueId {
        if let [single] = components {
            return self.extract(vector, u32::from(*single));
        }
        let poison = self.poison(&self.ty(vector));
        self.shuffle(vector, poison, components.iter().map(|c| i32::from(*c)).collect())
    }

    /// Writes a value to a place whose type is no record and no array.
    pub(crate) fn store_place(&mut self, place: &Place, value: ValueId) -> Result<(), LowerError> {
        match self.lvalue(place, true)? {
            Lvalue::Address(address) => self.store_object(address, place.ty.ty, value, place.span),
            Lvalue::Swizzle(address, scalar, components) => {
                for (index, component) in components.iter().enumerate() {
                    let part = if components.len() == 1 && self.ty(value).lanes() == Some(1) {
                        value
                    } else {
                        self.extract(value, index as u32)
                    };
                    let address = self.component(address, scalar, u32::from(*component));
                    self.store_scalar(address, scalar, part);
                }
                Ok(())
            }
            Lvalue::Component { vector, ty, index } => {
                let whole = self.load_object(vector, ty, place.span)?;
                let changed = self.insert_at(whole, value, index);
                self.store_object(vector, ty, changed, place.span)
            }
        }
    }

    /// Reads an object that is no record and no array.
    pub(crate) fn load_object(
        &mut self,
        address: Address,
        ty: TypeId,
        span: Span,
    ) -> Result<ValueId, LowerError> {
        match self.shape(ty) {
            types::Type::Matrix { element, columns, rows } => {
                let column = Type::Vector(memory_scalar(*element), u32::from(*rows));
                let mut parts = Vec::new();
                for index in 0..*columns {
                    let address = self.matrix_column(address, &column, index);
                    parts.push(self.load_raw(address, &column));
                }
                Ok(self.columns(&parts))
            }
            types::Type::Record(_) | types::Type::Array(..) | types::Type::UnsizedArray(_) => {
                Err(LowerError::malformed(span, "a record or array as a value"))
            }
            types::Type::Void => Err(LowerError::malformed(span, "an object of type void")),
            _ => {
                let value = self.value_type(ty, span)?;
                let is_bool = self.element(ty) == Some(types::Scalar::Bool);
                let raw = if is_bool { value.with_scalar(Scalar::Int(8)) } else { value.clone() };
                let loaded = self.load_raw(address, &raw);
                Ok(if is_bool { self.cast(CastOp::Trunc, loaded, &value) } else { loaded })
            }
        }
    }

    /// Writes an object that is no record and no array.
    pub(crate) fn store_object(
        &mut self,
        address: Address,
        ty: TypeId,
        value: ValueId,
        span: Span,
    ) -> Result<(), LowerError> {
        match self.shape(ty) {
            types::Type::Matrix { element, columns, rows } => {
                let column = Type::Vector(memory_scalar(*element), u32::from(*rows));
                for index in 0..*columns {
                    let part = self.extract_value(value, u32::from(index));
                    let address = self.matrix_column(address, &column, index);
                    self.store_raw(address, part);
                }
                Ok(())
            }
            types::Type::Record(_) | types::Type::Array(..) | types::Type::UnsizedArray(_) => {
                Err(LowerError::malformed(span, "a record or array as a value"))
            }
            _ => {
                let is_bool = self.element(ty) == Some(types::Scalar::Bool);
                let raw = if is_bool {
                    let wide = self.ty(value).with_scalar(Scalar::Int(8));
                    self.cast(CastOp::ZExt, value, &wide)
                } else {
                    value
                };
                self.store_raw(address, raw);
                Ok(())
            }
        }
    }

    fn matrix_column(&mut self, matrix: Address, column: &Type, index: u8) -> Address {
        if index == 0 {
            return matrix;
        }
        let offset = self.i64(u64::from(index));
        let ptr = self.gep(column, matrix.ptr, vec![offset]);
        Address { ptr, ..matrix }
    }

    fn load_scalar(&mut self, address: Address, scalar: types::Scalar) -> ValueId {
        let raw = self.load_raw(address, &Type::Scalar(memory_scalar(scalar)));
        if scalar == types::Scalar::Bool { self.cast(CastOp::Trunc, raw, &Type::I1) } else { raw }
    }

    fn store_scalar(&mut self, address: Address, scalar: types::Scalar, value: ValueId) {
        let raw =
            if scalar == types::Scalar::Bool { self.cast(CastOp::ZExt, value, &Type::I8) } else { value };
        self.store_raw(address, raw);
    }

    fn load_raw(&mut self, address: Address, ty: &Type) -> ValueId {
        if let Some(name) = self.coherent_name("load", address, ty) {
            return self.call_value(&name, ty, &[address.ptr]);
        }
        let inst = Inst::Load {
            ptr: address.ptr,
            align: address.align,
            volatile: address.is_volatile,
            ordering: None,
        };
        self.push(inst, ty.clone()).unwrap_or(ValueId(0))
    }

    fn store_raw(&mut self, address: Address, value: ValueId) {
        let ty = self.ty(value);
        if let Some(name) = self.coherent_name("store", address, &ty) {
            self.call_external(&name, &Type::Void, &[value, address.ptr]);
            return;
        }
        let inst = Inst::Store {
            ptr: address.ptr,
            value,
            align: address.align,
            volatile: address.is_volatile,
            ordering: None,
        };
        self.push(inst, Type::Void);
    }

    /// The function that reads or writes memory that other threadgroups see at once.
    fn coherent_name(&self, verb: &str, address: Address, ty: &Type) -> Option<String> {
        let space = self.space_of(address.ptr);
        if !address.is_coherent || space != AddressSpace::DEVICE {
            return None;
        }
        let scalar = ty.scalar()?.suffix();
        let suffix = match ty.lanes() {
            Some(lanes) if lanes > 1 => format!("v{lanes}{scalar}"),
            _ => scalar,
        };
        let volatile = if address.is_volatile { "volatile." } else { "" };
        Some(format!("air.{verb}.device_coherent.{volatile}{suffix}.p{}{suffix}", space.0))
    }

    /// Copies a record or array.
    pub(crate) fn copy_object(
        &mut self,
        to: Address,
        from: Address,
        ty: TypeId,
        span: Span,
    ) -> Result<(), LowerError> {
        if self.parts(ty, MAX_COPIED_PARTS + 1) <= MAX_COPIED_PARTS || to.is_coherent || from.is_coherent {
            return self.copy_parts(to, from, ty, span);
        }
        let size = self.i64(self.layout(ty).0);
        let (to_space, from_space) = (self.space_of(to.ptr), self.space_of(from.ptr));
        let volatile = self.bool(to.is_volatile || from.is_volatile);
        let name = format!("llvm.memcpy.p{}.p{}.i64", to_space.0, from_space.0);
        self.call_external(&name, &Type::Void, &[to.ptr, from.ptr, size, volatile]);
        Ok(())
    }

    fn copy_parts(&mut self, to: Address, from: Address, ty: TypeId, span: Span) -> Result<(), LowerError> {
        self.for_each_part(ty, span, |this, part, ty, span| {
            let from = part.at(this, from);
            let value = this.load_object(from, ty, span)?;
            let to = part.at(this, to);
            this.store_object(to, ty, value, span)
        })
    }

    /// Sets a record or array to zero bytes.
    pub(crate) fn zero_object(&mut self, to: Address, ty: TypeId, span: Span) -> Result<(), LowerError> {
        if !is_aggregate(self.program(), ty) {
            let value = self.value_type(ty, span)?;
            let zero = self.zero(&value);
            return self.store_object(to, ty, zero, span);
        }
        if self.parts(ty, MAX_COPIED_PARTS + 1) <= MAX_COPIED_PARTS || to.is_coherent {
            return self.for_each_part(ty, span, |this, part, ty, span| {
                let value = this.value_type(ty, span)?;
                let zero = this.zero(&value);
                let to = part.at(this, to);
                this.store_object(to, ty, zero, span)
            });
        }
        let size = self.i64(self.layout(ty).0);
        let byte = self.int(&Type::I8, 0);
        let volatile = self.bool(to.is_volatile);
        let name = format!("llvm.memset.p{}.i64", self.space_of(to.ptr).0);
        self.call_external(&name, &Type::Void, &[to.ptr, byte, size, volatile]);
        Ok(())
    }

    /// Number of scalars, vectors and matrices in a type, counted up to `limit`. A union counts as more than
    /// any limit: its bytes are copied.
    fn parts(&self, ty: TypeId, limit: u32) -> u32 {
        match self.shape(ty) {
            types::Type::Array(element, count) => {
                let each = self.parts(*element, limit);
                u32::try_from(u64::from(each).saturating_mul(*count)).unwrap_or(limit).min(limit)
            }
            types::Type::Record(id) => {
                let record = self.program().record(*id);
                if record.is_union {
                    return limit;
                }
                let mut sum = 0_u32;
                for field in &record.fields {
                    sum = sum.saturating_add(self.parts(field.ty.ty, limit));
                    if sum >= limit {
                        return limit;
                    }
                }
                sum
            }
            _ => 1,
        }
    }

    /// Visits the scalars, vectors and matrices of a record or array.
    fn for_each_part(
        &mut self,
        ty: TypeId,
        span: Span,
        mut visit: impl FnMut(&mut Self, &Part, TypeId, Span) -> Result<(), LowerError>,
    ) -> Result<(), LowerError> {
        let mut list = Vec::new();
        self.collect_parts(ty, 0, &mut list);
        for (offset, ty) in list {
            visit(self, &Part { offset }, ty, span)?;
        }
        Ok(())
    }

    fn collect_parts(&self, ty: TypeId, offset: u64, list: &mut Vec<(u64, TypeId)>) {
        match self.shape(ty) {
            types::Type::Array(element, count) => {
                let size = self.layout(*element).0;
                for index in 0..*count {
                    self.collect_parts(*element, offset + index * size, list);
                }
            }
            types::Type::Record(id) => {
                for field in &self.program().record(*id).fields {
                    self.collect_parts(field.ty.ty, offset + field.offset_bytes, list);
                }
            }
            types::Type::UnsizedArray(_) => {}
            _ => list.push((offset, ty)),
        }
    }

    /// Initialises an object with an expression, which cannot see it.
    pub(crate) fn initialise(
        &mut self,
        to: Address,
        ty: TypeId,
        value: &mw_msl::hir::Expr,
    ) -> Result<(), LowerError> {
        if is_aggregate(self.program(), ty) {
            return self.aggregate_into(to, ty, value);
        }
        if value_type(self.program(), ty).is_none() {
            return Err(LowerError::malformed(value.span, "an object of a type without values"));
        }
        let result = self.value(value)?;
        self.store_object(to, ty, result, value.span)
    }

    /// Type of a function behind a pointer.
    pub(crate) fn function_type(&self, target: QualType, span: Span) -> Result<FunctionType, LowerError> {
        let types::Type::Function { result, parameters } = self.shape(target.ty) else {
            return Err(LowerError::malformed(span, "a call through what is no function pointer"));
        };
        let mut params = Vec::new();
        let ret = if is_aggregate(self.program(), result.ty) {
            params.push(Type::ptr(AddressSpace::THREAD));
            Type::Void
        } else {
            self.value_type(result.ty, span)?
        };
        for parameter in parameters {
            params.push(if is_aggregate(self.program(), parameter.ty) {
                Type::ptr(AddressSpace::THREAD)
            } else {
                self.value_type(parameter.ty, span)?
            });
        }
        Ok(FunctionType { ret, params, varargs: false })
    }

    /// No flags: what calls without floating-point result carry.
    pub(crate) const NO_FLAGS: Flags = Flags::NONE;
}

/// A part of an object.
pub(crate) struct Part {
    offset: u64,
}

impl Part {
    /// Its address inside the object.
    fn at(&self, cx: &mut FunctionLowering<'_, '_>, base: Address) -> Address {
        if self.offset == 0 {
            return base;
        }
        let offset = cx.i64(self.offset);
        let ptr = cx.gep(&Type::I8, base.ptr, vec![offset]);
        let reach = 1_u64 << self.offset.trailing_zeros().min(30);
        Address { ptr, align: base.align.min(reach as u32), ..base }
    }
}

/// The index, if it is a constant that is no less than zero.
pub(crate) fn constant_index(index: &mw_msl::hir::Expr) -> Option<u32> {
    match &index.kind {
        ExprKind::Constant(mw_msl::hir::Constant::Int(value)) => u32::try_from(*value).ok(),
        ExprKind::Constant(mw_msl::hir::Constant::Zero) => Some(0),
        ExprKind::Cast(mw_msl::hir::Cast::Numeric, inner) => constant_index(inner),
        _ => None,
    }
}
