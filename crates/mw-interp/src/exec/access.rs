//! Memory operations: loads, stores, atomics, block copies, and the messages of faults.

use mw_air::{Inst, ValueDef};
use mw_backend::LaunchError;

use super::collective::combine;
use super::lanes::{Lanes, for_lanes};
use super::{Access, FindingKind, Here, Machine, position};
use crate::memory::{BadAccess, Place, Region, place};
use crate::number::mask;
use crate::program::{Combine, LANES, List, Op, Reg, Row};
use crate::shadow::Shadowed;

/// What an access does, for messages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
}

/// Bytes moved at a time by a block copy.
const CHUNK: u64 = 8;

impl Machine<'_> {
    /// Records accesses through undefined addresses.
    #[inline(always)]
    fn check_address(&mut self, lanes: &Lanes<'_>, here: Here<'_>, ptr: Reg) {
        let undef = lanes.undef(ptr) & lanes.mask;
        if undef != 0 {
            self.find(here, FindingKind::AddressOnUndef, undef);
        }
    }

    /// The address that each lane accesses.
    #[inline(always)]
    fn addresses(&mut self, lanes: &Lanes<'_>, here: Here<'_>, ptr: Reg, offset: u32) -> Row {
        self.check_address(lanes, here, ptr);
        lanes.row(ptr).map(|address| address.wrapping_add(u64::from(offset)))
    }

    /// Records accesses to the guard around private memory.
    #[inline(always)]
    fn check_strayed(&mut self, here: Here<'_>, mask: u32) {
        if std::mem::take(&mut self.memory.strayed) {
            self.find(here, FindingKind::OutsidePrivate, mask);
        }
    }

    /// Records undefined values that go where the host will read them.
    #[cold]
    fn check_stored(&mut self, here: Here<'_>, addresses: &Row, undef: u32) {
        let mut visible = 0;
        for_lanes(undef, |lane| visible |= u32::from(place(addresses[lane]).0 == Place::Host) << lane);
        if visible != 0 {
            self.find(here, FindingKind::StoreOfUndef, visible);
        }
    }

    #[cold]
    fn bad_access(
        &self,
        here: Here<'_>,
        lane: usize,
        bad: BadAccess,
        direction: Direction,
        address: u64,
        size: u64,
    ) -> LaunchError {
        let verb = if direction == Direction::Read { "reads" } else { "writes" };
        let bytes = if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") };
        if bad == BadAccess::ReadOnly {
            return self.fault(here, lane, &format!("{verb} {bytes} of constant data at {address:#x}"));
        }
        let (place, offset) = place(address);
        let inside = |what: &str, len: usize| {
            format!("{verb} {bytes} at offset {offset} of {what}, which has {len} bytes")
        };
        let what = match place {
            Place::Private => {
                let offset = offset as i64 - i64::from(crate::memory::PRIVATE_GUARD);
                format!("{verb} {bytes} at offset {offset} of its private memory, far outside it")
            }
            Place::Threadgroup => inside("threadgroup memory", self.memory.threadgroup.len()),
            Place::Constants => inside("the module's constant data", self.memory.constants.len()),
            Place::Absent => {
                let name = self.parameter(crate::memory::absent_parameter(address) as usize);
                format!("{verb} {bytes} through {name}, to which nothing is bound")
            }
            Place::Functions => format!("{verb} {bytes} at {address:#x}, the address of a function"),
            Place::Host => self.describe_host(here, verb, &bytes, address),
        };
        self.fault(here, lane, &what)
    }

    /// A parameter as messages call it.
    fn parameter(&self, index: usize) -> String {
        match self.names.get(index).filter(|name| !name.is_empty()) {
            Some(name) => format!("argument {index} (`{name}`)"),
            None => format!("argument {index}"),
        }
    }

    /// An address outside every buffer, by the buffer that it was made from, or else is nearest to.
    fn describe_host(&self, here: Here<'_>, verb: &str, bytes: &str, address: u64) -> String {
        let made_from = self.root_parameter(here).and_then(|parameter| {
            self.memory.regions().iter().find(|region| region.argument == Some(parameter))
        });
        let nearest = made_from.or_else(|| self.nearest_region(address));
        let Some(region) = nearest else {
            return format!("{verb} {bytes} at {address:#x}, but no buffer is bound");
        };
        let (start, len) = (region.view.address(), region.view.len() as u64);
        let name = match region.argument {
            Some(index) => self.parameter(index),
            None => "a resident buffer".to_owned(),
        };
        if address < start {
            let before = start - address;
            format!("{verb} {bytes} at {address:#x}, {before} bytes before {name}, which has {len} bytes")
        } else {
            let offset = address - start;
            format!("{verb} {bytes} at {address:#x}, offset {offset} of {name}, which has {len} bytes")
        }
    }

    fn nearest_region(&self, address: u64) -> Option<&Region> {
        self.memory.regions().iter().min_by_key(|region| {
            let (start, len) = (region.view.address(), region.view.len() as u64);
            if address < start { start - address } else { address.saturating_sub(start + len) }
        })
    }

    /// The kernel parameter that the address of an access comes from, if it comes from one alone.
    fn root_parameter(&self, here: Here<'_>) -> Option<usize> {
        let at = position(&self.threadgroup, here);
        let function = self.module.functions.get(at.function.index())?;
        if *function.name != *self.kernel {
            return None;
        }
        let mut work = match &function.inst(at.inst?).inst {
            Inst::Load { ptr, .. }
            | Inst::Store { ptr, .. }
            | Inst::AtomicRmw { ptr, .. }
            | Inst::CmpXchg { ptr, .. } => vec![*ptr],
            Inst::Call(call) => {
                call.args.iter().copied().filter(|arg| function.value_type(*arg).is_ptr()).collect()
            }
            _ => return None,
        };
        let mut seen = vec![false; function.values().len()];
        let mut root = None;
        while let Some(value) = work.pop() {
            if std::mem::replace(&mut seen[value.index()], true) {
                continue;
            }
            match &function.value(value).def {
                ValueDef::Param(parameter) => {
                    if root.replace(*parameter).is_some_and(|other| other != *parameter) {
                        return None;
                    }
                }
                ValueDef::Const(_) => {}
                ValueDef::Inst(inst) => match &function.inst(*inst).inst {
                    Inst::Gep { base, .. } => work.push(*base),
                    Inst::Cast { value, .. } | Inst::Freeze { value } => work.push(*value),
                    Inst::Select { on_true, on_false, .. } => work.extend([*on_true, *on_false]),
                    Inst::Phi { incoming, .. } => work.extend(incoming.iter().map(|(_, value)| *value)),
                    _ => return None,
                },
            }
        }
        root.map(|parameter| parameter as usize)
    }

    #[expect(clippy::too_many_arguments, reason = "the operands of one operation")]
    #[inline(always)]
    pub(super) fn load(
        &mut self,
        lanes: &mut Lanes<'_>,
        private: &Shadowed,
        here: Here<'_>,
        dst: Reg,
        ptr: Reg,
        offset: u32,
        size: u8,
        bits: u8,
    ) -> Result<(), LaunchError> {
        let row = self.addresses(lanes, here, ptr, offset);
        if let Some(observer) = &mut self.observer {
            let access = Access { mask: lanes.mask, addresses: &row, size: u64::from(size) };
            observer.load(&position(&self.threadgroup, here), &access);
        }
        let (mut out, mut undef, keep) = ([0; LANES], 0_u32, mask(bits));
        let mut left = lanes.mask;
        while left != 0 {
            let lane = left.trailing_zeros() as usize & (LANES - 1);
            left &= left - 1;
            match self.memory.read(private, lane, row[lane], usize::from(size)) {
                Ok((value, bytes)) => {
                    out[lane] = value & keep;
                    undef |= u32::from(bytes != 0) << lane;
                }
                Err(bad) => {
                    let size = u64::from(size);
                    return Err(self.bad_access(here, lane, bad, Direction::Read, row[lane], size));
                }
            }
        }
        lanes.put(dst, &out, undef);
        self.check_strayed(here, lanes.mask);
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the operands of one operation")]
    #[inline(always)]
    pub(super) fn store(
        &mut self,
        lanes: &Lanes<'_>,
        private: &mut Shadowed,
        here: Here<'_>,
        value: Reg,
        ptr: Reg,
        offset: u32,
        size: u8,
    ) -> Result<(), LaunchError> {
        let row = self.addresses(lanes, here, ptr, offset);
        if let Some(observer) = &mut self.observer {
            let access = Access { mask: lanes.mask, addresses: &row, size: u64::from(size) };
            let at = position(&self.threadgroup, here);
            observer.store(&at, &access);
            observer.stored(&at, lanes.mask, lanes.row(value));
        }
        let (values, undef) = (lanes.row(value), lanes.undef(value));
        if undef & lanes.mask != 0 {
            self.check_stored(here, &row, undef & lanes.mask);
        }
        let mut left = lanes.mask;
        while left != 0 {
            let lane = left.trailing_zeros() as usize & (LANES - 1);
            left &= left - 1;
            let bytes = if undef >> lane & 1 != 0 { 0xff } else { 0 };
            let stored = self.memory.write(private, lane, row[lane], usize::from(size), values[lane], bytes);
            if let Err(bad) = stored {
                let size = u64::from(size);
                return Err(self.bad_access(here, lane, bad, Direction::Write, row[lane], size));
            }
        }
        self.check_strayed(here, lanes.mask);
        Ok(())
    }

    fn observe_atomic(&mut self, here: Here<'_>, mask: u32, addresses: &Row, size: u8) {
        if let Some(observer) = &mut self.observer {
            let access = Access { mask, addresses, size: u64::from(size) };
            observer.atomic(&position(&self.threadgroup, here), &access);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the operands of one operation")]
    pub(super) fn atomic(
        &mut self,
        lanes: &mut Lanes<'_>,
        private: &mut Shadowed,
        here: Here<'_>,
        op: Combine,
        size: u8,
        dst: Option<Reg>,
        ptr: Reg,
        value: Reg,
    ) -> Result<(), LaunchError> {
        self.check_address(lanes, here, ptr);
        let (addresses, values, value_undef) = (*lanes.row(ptr), *lanes.row(value), lanes.undef(value));
        self.observe_atomic(here, lanes.mask, &addresses, size);
        let (mut out, mut undef) = ([0; LANES], 0_u32);
        let flushing = self.program.flushing;
        let bytes = usize::from(size);
        for lane in (0..LANES).filter(|lane| lanes.mask >> lane & 1 != 0) {
            let address = addresses[lane];
            let (old, old_undef) = self
                .memory
                .read(private, lane, address, bytes)
                .map_err(|bad| self.bad_access(here, lane, bad, Direction::Read, address, size.into()))?;
            out[lane] = old;
            undef |= u32::from(old_undef != 0) << lane;
            if op == Combine::Keep {
                continue;
            }
            let new = combine(op, flushing, old, values[lane]);
            let mixes = op != Combine::Exchange && old_undef != 0;
            let new_undef = if mixes || value_undef >> lane & 1 != 0 { 0xff } else { 0 };
            self.memory
                .write(private, lane, address, bytes, new, new_undef)
                .map_err(|bad| self.bad_access(here, lane, bad, Direction::Write, address, size.into()))?;
        }
        if let Some(dst) = dst {
            lanes.put(dst, &out, undef);
        }
        Ok(())
    }

    pub(super) fn compare_exchange(
        &mut self,
        lanes: &mut Lanes<'_>,
        private: &mut Shadowed,
        here: Here<'_>,
        op: &Op,
    ) -> Result<(), LaunchError> {
        let Op::CompareExchange { size, dst, success, ptr, expected, desired, by_pointer } = *op else {
            return Ok(());
        };
        self.check_address(lanes, here, ptr);
        let addresses = *lanes.row(ptr);
        let (expected, desired) = (*lanes.row(expected), *lanes.row(desired));
        self.observe_atomic(here, lanes.mask, &addresses, size);
        let (mut out, mut swapped, mut undef) = ([0; LANES], [0; LANES], 0_u32);
        let bytes = usize::from(size);
        for lane in (0..LANES).filter(|lane| lanes.mask >> lane & 1 != 0) {
            let address = addresses[lane];
            let read = |machine: &mut Self, private: &Shadowed, address| {
                machine
                    .memory
                    .read(private, lane, address, bytes)
                    .map_err(|bad| machine.bad_access(here, lane, bad, Direction::Read, address, size.into()))
            };
            let (old, old_undef) = read(self, private, address)?;
            let wanted = if by_pointer { read(self, private, expected[lane])?.0 } else { expected[lane] };
            out[lane] = old;
            undef |= u32::from(old_undef != 0) << lane;
            let write = |machine: &mut Self, private: &mut Shadowed, address, value| {
                machine.memory.write(private, lane, address, bytes, value, 0).map_err(|bad| {
                    machine.bad_access(here, lane, bad, Direction::Write, address, size.into())
                })
            };
            if old == wanted {
                swapped[lane] = 1;
                write(self, private, address, desired[lane])?;
            } else if by_pointer {
                write(self, private, expected[lane], old)?;
            }
        }
        lanes.put(dst, &out, undef);
        if let Some(success) = success {
            lanes.put(success, &swapped, undef);
        }
        Ok(())
    }

    /// Moves `len` bytes as if through a buffer.
    fn move_bytes(
        &mut self,
        private: &mut Shadowed,
        here: Here<'_>,
        lane: usize,
        dst: u64,
        src: u64,
        len: u64,
    ) -> Result<(), LaunchError> {
        self.spend(len / CHUNK)?;
        let backward = dst > src && dst - src < len;
        let mut done = 0;
        while done < len {
            let size = (len - done).min(CHUNK);
            let at = if backward { len - done - size } else { done };
            let (from, to) = (src.wrapping_add(at), dst.wrapping_add(at));
            let (value, undef) = self
                .memory
                .read(private, lane, from, size as usize)
                .map_err(|bad| self.bad_access(here, lane, bad, Direction::Read, from, size))?;
            self.memory
                .write(private, lane, to, size as usize, value, undef)
                .map_err(|bad| self.bad_access(here, lane, bad, Direction::Write, to, size))?;
            done += size;
        }
        self.check_strayed(here, 1 << lane);
        Ok(())
    }

    pub(super) fn mem_copy(
        &mut self,
        lanes: &Lanes<'_>,
        private: &mut Shadowed,
        here: Here<'_>,
        dst: Reg,
        src: Reg,
        len: Reg,
    ) -> Result<(), LaunchError> {
        self.check_address(lanes, here, dst);
        self.check_address(lanes, here, src);
        let (dst, src, len) = (*lanes.row(dst), *lanes.row(src), *lanes.row(len));
        for lane in (0..LANES).filter(|lane| lanes.mask >> lane & 1 != 0) {
            self.observe_copy(here, 1 << lane, Some(&src), Some(&dst), len[lane]);
            self.move_bytes(private, here, lane, dst[lane], src[lane], len[lane])?;
        }
        Ok(())
    }

    fn observe_copy(&mut self, here: Here<'_>, mask: u32, src: Option<&Row>, dst: Option<&Row>, size: u64) {
        if let Some(observer) = &mut self.observer {
            let at = position(&self.threadgroup, here);
            if let Some(addresses) = src {
                observer.load(&at, &Access { mask, addresses, size });
            }
            if let Some(addresses) = dst {
                observer.store(&at, &Access { mask, addresses, size });
            }
        }
    }

    pub(super) fn mem_set(
        &mut self,
        lanes: &Lanes<'_>,
        private: &mut Shadowed,
        here: Here<'_>,
        dst: Reg,
        value: Reg,
        len: Reg,
    ) -> Result<(), LaunchError> {
        self.check_address(lanes, here, dst);
        let undef = lanes.undef(value);
        let (dst, value, len) = (*lanes.row(dst), *lanes.row(value), *lanes.row(len));
        for lane in (0..LANES).filter(|lane| lanes.mask >> lane & 1 != 0) {
            self.observe_copy(here, 1 << lane, None, Some(&dst), len[lane]);
            self.spend(len[lane] / CHUNK)?;
            let word = u64::from_le_bytes([value[lane] as u8; 8]);
            let bytes = if undef >> lane & 1 != 0 { 0xff } else { 0 };
            let mut done = 0;
            while done < len[lane] {
                let size = (len[lane] - done).min(CHUNK);
                let to = dst[lane].wrapping_add(done);
                self.memory
                    .write(private, lane, to, size as usize, word, bytes)
                    .map_err(|bad| self.bad_access(here, lane, bad, Direction::Write, to, size))?;
                done += size;
            }
        }
        self.check_strayed(here, lanes.mask);
        Ok(())
    }

    /// One copy for the whole simdgroup, at once.
    pub(super) fn async_copy_1d(
        &mut self,
        lanes: &Lanes<'_>,
        private: &mut Shadowed,
        here: Here<'_>,
        list: List,
    ) -> Result<(), LaunchError> {
        let lead = lanes.lead();
        let operand = |index: usize| lanes.row(here.code.list(list)[index])[lead];
        let (size, dst, src, count) = (operand(0), operand(1), operand(2), operand(3));
        let len = size.saturating_mul(count);
        self.observe_copy(here, 1 << lead, Some(&[src; LANES]), Some(&[dst; LANES]), len);
        self.move_bytes(private, here, lead, dst, src, len)
    }

    /// One copy of a tile for the whole simdgroup. Elements of the target tile that the source tile has
    /// not are zero (mode 0) or repeat the nearest edge (mode 1).
    pub(super) fn async_copy_2d(
        &mut self,
        lanes: &Lanes<'_>,
        private: &mut Shadowed,
        here: Here<'_>,
        list: List,
    ) -> Result<(), LaunchError> {
        let lead = lanes.lead();
        let operand = |index: usize| lanes.row(here.code.list(list)[index])[lead];
        let size = operand(0);
        let (dst, dst_row, dst_step, width, height) =
            (operand(1), operand(2), operand(3), operand(4), operand(5));
        let (src, src_row, src_step, src_width, src_height) =
            (operand(6), operand(7), operand(8), operand(9), operand(10));
        let (offset_x, offset_y, to_edge) = (operand(11), operand(12), operand(13) != 0);
        if let Some(observer) = &mut self.observer {
            let at = position(&self.threadgroup, here);
            let bytes = |row: u64, rows: u64, columns: u64| {
                row.wrapping_mul(rows.saturating_sub(1)).wrapping_add(columns).wrapping_mul(size)
            };
            let mask = 1 << lead;
            let from = [src; LANES];
            observer
                .load(&at, &Access { mask, addresses: &from, size: bytes(src_row, src_height, src_width) });
            let to = [dst; LANES];
            observer.store(&at, &Access { mask, addresses: &to, size: bytes(dst_row, height, width) });
        }
        // Signed: the offset may point outside on either side.
        let place = |at: u64, offset: u64, extent: u64| -> Option<u64> {
            let at = at.wrapping_add(offset) as i64;
            let last = (extent as i64).wrapping_sub(1);
            if at >= 0 && at <= last {
                Some(at as u64)
            } else if to_edge && last >= 0 {
                Some(at.clamp(0, last) as u64)
            } else {
                None
            }
        };
        let element = |base: u64, x: u64, step: u64, y: u64, row: u64| {
            let index = x.wrapping_mul(step).wrapping_add(y.wrapping_mul(row));
            base.wrapping_add(index.wrapping_mul(size))
        };
        for y in 0..height {
            self.spend(width.max(1))?;
            for x in 0..width {
                let to = element(dst, x, dst_step, y, dst_row);
                let from = place(x, offset_x, src_width).zip(place(y, offset_y, src_height));
                if let Some((from_x, from_y)) = from {
                    let from = element(src, from_x, src_step, from_y, src_row);
                    self.move_bytes(private, here, lead, to, from, size)?;
                    continue;
                }
                self.spend(size)?;
                for byte in 0..size {
                    let to = to.wrapping_add(byte);
                    self.memory
                        .write(private, lead, to, 1, 0, 0)
                        .map_err(|bad| self.bad_access(here, lead, bad, Direction::Write, to, 1))?;
                }
            }
        }
        Ok(())
    }

    /// Reads an element of a matrix tile, on behalf of `lane`.
    pub(super) fn tile_read(
        &mut self,
        private: &Shadowed,
        here: Here<'_>,
        lane: usize,
        address: u64,
        size: u8,
    ) -> Result<(u64, bool), LaunchError> {
        match self.memory.read(private, lane, address, usize::from(size)) {
            Ok((value, undef)) => Ok((value, undef != 0)),
            Err(bad) => Err(self.bad_access(here, lane, bad, Direction::Read, address, size.into())),
        }
    }

    /// Writes an element of a matrix tile, on behalf of `lane`.
    #[expect(clippy::too_many_arguments, reason = "an access with its context")]
    pub(super) fn tile_write(
        &mut self,
        private: &mut Shadowed,
        here: Here<'_>,
        lane: usize,
        address: u64,
        size: u8,
        value: u64,
        undef: bool,
    ) -> Result<(), LaunchError> {
        let bytes = if undef { 0xff } else { 0 };
        self.memory
            .write(private, lane, address, usize::from(size), value, bytes)
            .map_err(|bad| self.bad_access(here, lane, bad, Direction::Write, address, size.into()))
    }

    /// Tells the observer of a matrix access, one pair of elements for each lane.
    pub(super) fn observe_tile(&mut self, here: Here<'_>, addresses: &[Row; 2], size: u8, write: bool) {
        if let Some(observer) = &mut self.observer {
            let at = position(&self.threadgroup, here);
            for addresses in addresses {
                let access = Access { mask: u32::MAX, addresses, size: size.into() };
                if write { observer.store(&at, &access) } else { observer.load(&at, &access) }
            }
        }
    }

    /// Records a matrix access through an undefined address.
    pub(super) fn check_tile_address(&mut self, lanes: &Lanes<'_>, here: Here<'_>, ptr: Reg) {
        let mut defined = true;
        for_lanes(1 << lanes.lead(), |lane| defined = lanes.undef(ptr) >> lane & 1 == 0);
        if !defined {
            self.find(here, FindingKind::AddressOnUndef, 1 << lanes.lead());
        }
    }
}
