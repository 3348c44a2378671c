//! The address space of a running kernel: host buffers at their own addresses, everything else in ranges
//! of the upper end of the 64-bit space that no buffer can have.

use std::borrow::Cow;

use mw_air::FuncId;
use mw_backend::BufferView;

use crate::shadow::Shadowed;

/// First address of private memory. Every lane sees its own.
pub(crate) const PRIVATE: u64 = 0xf180_0000_0000_0000;
/// First address of threadgroup memory.
pub(crate) const THREADGROUP: u64 = 0xf200_0000_0000_0000;
/// First address of the module's constant data.
pub(crate) const CONSTANTS: u64 = 0xf300_0000_0000_0000;
/// Address of function 0; functions are 16 bytes apart.
pub(crate) const FUNCTIONS: u64 = 0xf400_0000_0000_0000;
/// Address of parameter 0 when nothing is bound to it; parameters are 2^48 bytes apart.
const ABSENT: u64 = 0xf500_0000_0000_0000;

/// Bytes before and after a thread's private memory that may be touched. Apple-compiled kernels do it:
/// MLX's `layer_norm` clears the elements past a row from a negative index on.
pub(crate) const PRIVATE_GUARD: u32 = 4096;

const RANGE: u64 = 1 << 56;

/// The address that stands for a function.
pub(crate) fn function_address(function: FuncId) -> u64 {
    FUNCTIONS + u64::from(function.0) * 16
}

/// The address of a parameter that nothing is bound to. Kernels may read through it what they do not use.
pub(crate) fn absent_address(parameter: usize) -> u64 {
    ABSENT + ((parameter as u64 & 0xff) << 48)
}

/// The parameter that an address of [`Place::Absent`] belongs to.
pub(crate) fn absent_parameter(address: u64) -> u64 {
    (address - ABSENT) >> 48
}

/// The function at an address.
pub(crate) fn function_at(address: u64) -> Option<FuncId> {
    let offset = address.checked_sub(FUNCTIONS)?;
    (offset < RANGE && offset.is_multiple_of(16))
        .then(|| u32::try_from(offset / 16).ok().map(FuncId))
        .flatten()
}

/// Which memory an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Memory of one thread.
    Private,
    /// Memory of the threadgroup.
    Threadgroup,
    /// The module's own constants.
    Constants,
    /// Code.
    Functions,
    /// A parameter that nothing is bound to.
    Absent,
    /// Anything else: buffers of the host, or nothing.
    Host,
}

/// The memory that `address` belongs to, and the offset in it (for the host: the address).
#[inline(always)]
pub(crate) fn place(address: u64) -> (Place, u64) {
    let offset = address & (RANGE - 1);
    match address >> 56 {
        0xf1 => (Place::Private, address.wrapping_sub(PRIVATE)),
        0xf2 => (Place::Threadgroup, offset),
        0xf3 => (Place::Constants, offset),
        0xf4 => (Place::Functions, offset),
        0xf5 => (Place::Absent, offset),
        _ => (Place::Host, address),
    }
}

/// A buffer that the kernel may reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) view: BufferView,
    /// Parameter that it is bound to; `None` for a resident buffer.
    pub(crate) argument: Option<usize>,
}

/// An access that no memory answers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BadAccess {
    /// Outside everything.
    Outside,
    /// A write to constant data.
    ReadOnly,
}

/// All memory but the private one.
#[derive(Debug)]
pub(crate) struct Memory<'a> {
    /// Sorted by address.
    regions: Vec<Region>,
    /// Largest end of the regions up to each.
    ends: Vec<u64>,
    /// The region that answered last.
    last: usize,
    pub(crate) threadgroup: Shadowed,
    /// End of private memory, without the guard.
    pub(crate) private_end: u64,
    /// An access touched the guard around private memory.
    pub(crate) strayed: bool,
    /// Owned, and then writable, only while constructors run.
    pub(crate) constants: Cow<'a, Shadowed>,
}

impl<'a> Memory<'a> {
    pub(crate) fn new(mut regions: Vec<Region>, constants: Cow<'a, Shadowed>) -> Self {
        regions.retain(|region| !region.view.is_empty());
        regions.sort_by_key(|region| (region.view.address(), region.view.len()));
        let ends = regions
            .iter()
            .scan(0_u64, |end, region| {
                *end = (*end).max(region.view.address().saturating_add(region.view.len() as u64));
                Some(*end)
            })
            .collect();
        Self {
            regions,
            ends,
            last: 0,
            threadgroup: Shadowed::new(0, 1),
            private_end: 0,
            strayed: false,
            constants,
        }
    }

    /// All buffers, by address.
    pub(crate) fn regions(&self) -> &[Region] {
        &self.regions
    }

    #[inline(always)]
    fn host(&mut self, address: u64, size: usize) -> Option<(BufferView, usize)> {
        if let Some(region) = self.regions.get(self.last) {
            let offset = address.wrapping_sub(region.view.address());
            if offset < region.view.len() as u64 && size as u64 <= region.view.len() as u64 - offset {
                return Some((region.view, offset as usize));
            }
        }
        self.host_slowly(address, size)
    }

    #[cold]
    fn host_slowly(&mut self, address: u64, size: usize) -> Option<(BufferView, usize)> {
        let end = address.checked_add(size as u64)?;
        let mut index = self.regions.partition_point(|region| region.view.address() <= address);
        while index > 0 && self.ends[index - 1] >= end {
            index -= 1;
            let view = self.regions[index].view;
            if view.address() + view.len() as u64 >= end {
                self.last = index;
                return Some((view, (address - view.address()) as usize));
            }
        }
        None
    }

    /// Reads up to eight bytes: the value, and the mask of its undefined bytes.
    #[inline(always)]
    pub(crate) fn read(
        &mut self,
        private: &Shadowed,
        lane: usize,
        address: u64,
        size: usize,
    ) -> Result<(u64, u8), BadAccess> {
        match place(address) {
            (Place::Host, _) => {
                let (view, offset) = self.host(address, size).ok_or(BadAccess::Outside)?;
                Ok((read_view(&view, offset, size), 0))
            }
            (Place::Private, offset) if private.contains(offset, size) => {
                self.check_private(offset, size);
                Ok(private.read(offset, size, lane))
            }
            (Place::Threadgroup, offset) if self.threadgroup.contains(offset, size) => {
                Ok(self.threadgroup.read(offset, size, 0))
            }
            (Place::Constants, offset) if self.constants.contains(offset, size) => {
                Ok(self.constants.read(offset, size, 0))
            }
            (Place::Absent, _) => Ok((0, 0xff)),
            _ => Err(BadAccess::Outside),
        }
    }

    /// Remembers an access to the guard around private memory.
    #[inline(always)]
    fn check_private(&mut self, offset: u64, size: usize) {
        self.strayed |= offset < u64::from(PRIVATE_GUARD) || offset + size as u64 > self.private_end;
    }

    /// Writes up to eight bytes, of which those in `undef` are undefined.
    #[inline(always)]
    pub(crate) fn write(
        &mut self,
        private: &mut Shadowed,
        lane: usize,
        address: u64,
        size: usize,
        value: u64,
        undef: u8,
    ) -> Result<(), BadAccess> {
        match place(address) {
            (Place::Host, _) => {
                let (view, offset) = self.host(address, size).ok_or(BadAccess::Outside)?;
                write_view(&view, offset, size, value);
            }
            (Place::Private, offset) if private.contains(offset, size) => {
                self.check_private(offset, size);
                private.write(offset, size, lane, value, undef);
            }
            (Place::Threadgroup, offset) if self.threadgroup.contains(offset, size) => {
                self.threadgroup.write(offset, size, 0, value, undef);
            }
            (Place::Constants, offset) if self.constants.contains(offset, size) => {
                match &mut self.constants {
                    Cow::Owned(constants) => constants.write(offset, size, 0, value, undef),
                    Cow::Borrowed(_) => return Err(BadAccess::ReadOnly),
                }
            }
            _ => return Err(BadAccess::Outside),
        }
        Ok(())
    }
}

/// Reads a little-endian number. The span was checked, so that `read` cannot refuse it.
#[inline(always)]
fn read_view(view: &BufferView, offset: usize, size: usize) -> u64 {
    macro_rules! sized {
        ($bytes:literal) => {{
            let mut bytes = [0; 8];
            let _ = view.read(offset, &mut bytes[..$bytes]);
            u64::from_le_bytes(bytes)
        }};
    }
    match size {
        1 => sized!(1),
        2 => sized!(2),
        4 => sized!(4),
        8 => sized!(8),
        _ => {
            let mut bytes = [0; 8];
            let _ = view.read(offset, &mut bytes[..size.min(8)]);
            u64::from_le_bytes(bytes)
        }
    }
}

/// Writes a little-endian number; see [`read_view`].
#[inline(always)]
fn write_view(view: &BufferView, offset: usize, size: usize, value: u64) {
    let bytes = value.to_le_bytes();
    let _ = match size {
        1 => view.write(offset, &bytes[..1]),
        2 => view.write(offset, &bytes[..2]),
        4 => view.write(offset, &bytes[..4]),
        8 => view.write(offset, &bytes),
        _ => view.write(offset, &bytes[..size.min(8)]),
    };
}
