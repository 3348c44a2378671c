//! Turns an ELF object into callable code: places its sections, applies its relocations.
//!
//! **Requires** an object that `mw_llvm` made: x86-64 or AArch64, position independent, small code model, no
//! thread-local or writable data.
//! **Ensures** every symbol is defined in the object or in the table of runtime functions; an unknown one is
//! an error with its name.
//! **Cost** linear in bytes and relocations. **Source** System V ABI, AMD64 and AArch64 supplements.
#![expect(unsafe_code, reason = "hands out addresses of code")]

use std::collections::BTreeMap;

use object::elf;
use object::read::elf::ElfFile64;
use object::{
    LittleEndian, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags,
    SectionIndex, SymbolIndex, SymbolSection,
};

use super::slab::CodeMemory;
use crate::switch::KernelFunction;

/// An object cannot be loaded. The fault is this toolchain's or the disk cache's.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LinkError {
    /// It is not an ELF object.
    #[error("the object file is damaged: {0}")]
    Damaged(#[from] object::read::Error),
    /// It calls a function that does not exist at run time.
    #[error("the code calls `{name}`, which no runtime function provides")]
    UnknownSymbol {
        /// The symbol.
        name: String,
    },
    /// It has no such function.
    #[error("the object does not define `{name}`")]
    NoEntry {
        /// The symbol.
        name: String,
    },
    /// It needs memory that kernels do not have.
    #[error("section `{name}` is writable: kernels have no writable data of their own")]
    WritableData {
        /// Section name.
        name: String,
    },
    /// A relocation of an unknown kind, or one whose value does not fit.
    #[error("relocation {kind} at offset {offset:#x} of `{section}` {problem}")]
    Relocation {
        /// ELF's number.
        kind: u32,
        /// Where.
        offset: u64,
        /// Section name.
        section: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// No executable memory.
    #[error("no executable memory: {0}")]
    Memory(#[from] std::io::Error),
}

/// Code that is ready to run. It stays in memory as long as this value.
#[derive(Debug)]
pub(crate) struct LoadedCode {
    memory: CodeMemory,
    /// Offset of the entry function.
    entry: usize,
}

/// A jump to an address anywhere: external functions may be further away than a call reaches. The address
/// stands in the last eight bytes, which serve as the symbol's entry in the offset table too.
const STUB_BYTES: usize = 24;
const STUB_ADDRESS: usize = 16;

impl LoadedCode {
    /// Loads an object and finds the function `entry` in it. `resolve` knows the functions that the code
    /// may call.
    pub(crate) fn load(
        object: &[u8],
        entry: &str,
        resolve: &dyn Fn(&str) -> Option<usize>,
    ) -> Result<Self, LinkError> {
        let file = ElfFile64::<LittleEndian>::parse(object)?;
        let layout = Layout::new(&file)?;
        let mut memory = CodeMemory::allocate(layout.len)?;
        let base = memory.executable() as u64;
        let entry = place(&file, &layout, base, entry, resolve, memory.bytes_mut())?;
        memory.publish();
        Ok(Self { memory, entry })
    }

    /// The entry function. Calling it is up to whoever keeps this value alive meanwhile.
    pub(crate) fn function(&self) -> KernelFunction {
        // SAFETY: the linker placed the entry inside the piece, and `mw_passes` gives it this signature.
        unsafe {
            let entry = self.memory.executable().add(self.entry);
            std::mem::transmute::<*const u8, KernelFunction>(entry)
        }
    }
}

/// Links an object for address `base`. Gives its bytes and the offset of the function `entry`.
pub(crate) fn link_at(object: &[u8], entry: &str, base: u64) -> Result<(Vec<u8>, usize), LinkError> {
    let file = ElfFile64::<LittleEndian>::parse(object)?;
    let layout = Layout::new(&file)?;
    let mut bytes = vec![0; layout.len];
    let entry = place(&file, &layout, base, entry, &|_| None, &mut bytes)?;
    Ok((bytes, entry))
}

/// Fills `bytes` with the linked object. Gives the offset of the function `entry`.
fn place(
    file: &ElfFile64<'_, LittleEndian>,
    layout: &Layout,
    base: u64,
    entry: &str,
    resolve: &dyn Fn(&str) -> Option<usize>,
    bytes: &mut [u8],
) -> Result<usize, LinkError> {
    let mut linker = Linker { file, layout, base, resolve, stubs: BTreeMap::new() };
    bytes.fill(0);
    for (index, offset) in &layout.sections {
        let data = file.section_by_index(SectionIndex(*index))?.data()?;
        bytes[*offset..*offset + data.len()].copy_from_slice(data);
    }
    linker.relocate(bytes)?;
    let symbol = file.symbol_by_name(entry).ok_or_else(|| LinkError::NoEntry { name: entry.into() })?;
    let address = linker.address_in_object(&symbol);
    Ok((address.ok_or_else(|| LinkError::NoEntry { name: entry.into() })? - base) as usize)
}

/// Where each loaded section goes.
struct Layout {
    sections: BTreeMap<usize, usize>,
    /// Room for stubs, after the sections.
    stubs: usize,
    len: usize,
}

impl Layout {
    fn new(file: &ElfFile64<'_, LittleEndian>) -> Result<Self, LinkError> {
        let mut sections = BTreeMap::new();
        let mut end = 0_usize;
        let mut relocations = 0_usize;
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            let name = section.name()?;
            if sh_flags.0 & elf::SHF_ALLOC.0 == 0 || name == ".eh_frame" || section.size() == 0 {
                continue;
            }
            if sh_flags.0 & elf::SHF_WRITE.0 != 0 && !name.starts_with(".data.rel.ro") {
                return Err(LinkError::WritableData { name: name.into() });
            }
            let damaged = || std::io::Error::other("section does not fit into memory");
            let align = usize::try_from(section.align().max(1)).map_err(|_| damaged())?;
            let size = usize::try_from(section.size()).map_err(|_| damaged())?;
            let offset = end.checked_next_multiple_of(align).ok_or_else(damaged)?;
            end = offset.checked_add(size).filter(|end| *end < 1 << 30).ok_or_else(damaged)?;
            sections.insert(section.index().0, offset);
            relocations += section.relocations().count();
        }
        // Only symbols that relocations name need a stub.
        let symbols = file.symbols().filter(|symbol| !symbol.is_local()).count().min(relocations);
        let stubs = end.next_multiple_of(STUB_BYTES.next_power_of_two());
        Ok(Self { sections, stubs, len: stubs + symbols * STUB_BYTES })
    }
}

struct Linker<'a> {
    file: &'a ElfFile64<'a, LittleEndian>,
    layout: &'a Layout,
    /// Address of the first byte at run time.
    base: u64,
    resolve: &'a dyn Fn(&str) -> Option<usize>,
    /// Offsets of stubs made so far.
    stubs: BTreeMap<usize, usize>,
}

/// A relocation, with all that its formula names.
struct Site<'a> {
    kind: elf::RelocationType,
    section: &'a str,
    /// Offset in the section, for messages.
    offset: u64,
    /// Offset in the piece of memory.
    at: usize,
    /// Address of the place.
    place: u64,
    addend: i64,
    symbol: SymbolIndex,
}

impl Site<'_> {
    fn error(&self, problem: &'static str) -> LinkError {
        LinkError::Relocation {
            kind: self.kind.0,
            offset: self.offset,
            section: self.section.into(),
            problem,
        }
    }
}

impl Linker<'_> {
    fn relocate(&mut self, bytes: &mut [u8]) -> Result<(), LinkError> {
        let is_x86_64 = match self.file.architecture() {
            object::Architecture::X86_64 => true,
            object::Architecture::Aarch64 => false,
            _ => return Err(std::io::Error::other("object for another architecture").into()),
        };
        for (index, start) in &self.layout.sections {
            let section = self.file.section_by_index(SectionIndex(*index))?;
            let name = section.name()?;
            for (offset, relocation) in section.relocations() {
                let RelocationFlags::Elf { r_type: kind } = relocation.flags() else { continue };
                let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
                let in_section = offset < section.size();
                let at = *start + if in_section { offset as usize } else { 0 };
                let site = Site {
                    kind,
                    section: name,
                    offset,
                    at,
                    place: self.base + at as u64,
                    addend: relocation.addend(),
                    symbol,
                };
                if !in_section {
                    return Err(site.error("lies outside its section"));
                }
                if is_x86_64 { self.x86_64(bytes, &site)? } else { self.aarch64(bytes, &site)? }
            }
        }
        Ok(())
    }

    fn x86_64(&mut self, bytes: &mut [u8], site: &Site<'_>) -> Result<(), LinkError> {
        let value = match site.kind {
            elf::R_X86_64_64 => {
                let value = self.address(site.symbol)?.wrapping_add_signed(site.addend);
                return put(bytes, site, &value.to_le_bytes());
            }
            elf::R_X86_64_PC64 => {
                let target = self.address(site.symbol)?.wrapping_add_signed(site.addend);
                return put(bytes, site, &target.wrapping_sub(site.place).to_le_bytes());
            }
            elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 => self.near(bytes, site.symbol)?,
            elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX => {
                self.base + (self.stub(bytes, site.symbol)? + STUB_ADDRESS) as u64
            }
            _ => return Err(site.error("is of a kind that the loader does not know")),
        };
        let distance = value.wrapping_add_signed(site.addend).wrapping_sub(site.place) as i64;
        let distance = i32::try_from(distance).map_err(|_| site.error("reaches too far"))?;
        put(bytes, site, &distance.to_le_bytes())
    }

    fn aarch64(&mut self, bytes: &mut [u8], site: &Site<'_>) -> Result<(), LinkError> {
        let page = |address: u64| address & !0xfff;
        match site.kind {
            elf::R_AARCH64_ABS64 => {
                let value = self.address(site.symbol)?.wrapping_add_signed(site.addend);
                return put(bytes, site, &value.to_le_bytes());
            }
            elf::R_AARCH64_PREL64 => {
                let target = self.address(site.symbol)?.wrapping_add_signed(site.addend);
                return put(bytes, site, &target.wrapping_sub(site.place).to_le_bytes());
            }
            elf::R_AARCH64_PREL32 => {
                let target = self.near(bytes, site.symbol)?.wrapping_add_signed(site.addend);
                let distance = target.wrapping_sub(site.place) as i64;
                let distance = i32::try_from(distance).map_err(|_| site.error("reaches too far"))?;
                return put(bytes, site, &distance.to_le_bytes());
            }
            _ => {}
        }
        let word: [u8; 4] = bytes
            .get(site.at..site.at + 4)
            .and_then(|word| word.try_into().ok())
            .ok_or_else(|| site.error("lies outside its section"))?;
        let word = u32::from_le_bytes(word);
        let low = |target: u64, scale: u32| {
            let field = (target as u32 & 0xfff) >> scale;
            word & !(0xfff << 10) | field << 10
        };
        let word = match site.kind {
            elf::R_AARCH64_CALL26 | elf::R_AARCH64_JUMP26 => {
                let target = self.near(bytes, site.symbol)?.wrapping_add_signed(site.addend);
                let words = target.wrapping_sub(site.place) as i64 >> 2;
                if !(-(1 << 25)..1 << 25).contains(&words) {
                    return Err(site.error("reaches too far"));
                }
                word & !0x03ff_ffff | words as u32 & 0x03ff_ffff
            }
            elf::R_AARCH64_ADR_PREL_PG_HI21 | elf::R_AARCH64_ADR_GOT_PAGE => {
                let target = if site.kind == elf::R_AARCH64_ADR_GOT_PAGE {
                    self.base + (self.stub(bytes, site.symbol)? + STUB_ADDRESS) as u64
                } else {
                    self.near(bytes, site.symbol)?.wrapping_add_signed(site.addend)
                };
                let pages = page(target).wrapping_sub(page(site.place)) as i64 >> 12;
                if !(-(1 << 20)..1 << 20).contains(&pages) {
                    return Err(site.error("reaches too far"));
                }
                let pages = pages as u32;
                word & !(3 << 29 | 0x7ffff << 5) | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5
            }
            elf::R_AARCH64_LD64_GOT_LO12_NC => {
                low(self.base + (self.stub(bytes, site.symbol)? + STUB_ADDRESS) as u64, 3)
            }
            kind => {
                let scale = match kind {
                    elf::R_AARCH64_ADD_ABS_LO12_NC | elf::R_AARCH64_LDST8_ABS_LO12_NC => 0,
                    elf::R_AARCH64_LDST16_ABS_LO12_NC => 1,
                    elf::R_AARCH64_LDST32_ABS_LO12_NC => 2,
                    elf::R_AARCH64_LDST64_ABS_LO12_NC => 3,
                    elf::R_AARCH64_LDST128_ABS_LO12_NC => 4,
                    _ => return Err(site.error("is of a kind that the loader does not know")),
                };
                low(self.near(bytes, site.symbol)?.wrapping_add_signed(site.addend), scale)
            }
        };
        put(bytes, site, &word.to_le_bytes())
    }

    /// Address of a symbol that the object defines.
    fn address_in_object<'d>(&self, symbol: &impl ObjectSymbol<'d>) -> Option<u64> {
        let SymbolSection::Section(section) = symbol.section() else { return None };
        let offset = *self.layout.sections.get(&section.0)?;
        Some(self.base + offset as u64 + symbol.address())
    }

    /// Address of any symbol.
    fn address(&self, index: SymbolIndex) -> Result<u64, LinkError> {
        let symbol = self.file.symbol_by_index(index)?;
        if let Some(address) = self.address_in_object(&symbol) {
            return Ok(address);
        }
        let name = symbol.name()?;
        let address = (self.resolve)(name).ok_or_else(|| LinkError::UnknownSymbol { name: name.into() })?;
        Ok(address as u64)
    }

    /// An address in this piece of memory that stands for a symbol: its own, or that of a stub.
    fn near(&mut self, bytes: &mut [u8], index: SymbolIndex) -> Result<u64, LinkError> {
        let symbol = self.file.symbol_by_index(index)?;
        match self.address_in_object(&symbol) {
            Some(address) => Ok(address),
            None => Ok(self.base + self.stub(bytes, index)? as u64),
        }
    }

    /// Offset of the stub of a symbol.
    fn stub(&mut self, bytes: &mut [u8], index: SymbolIndex) -> Result<usize, LinkError> {
        if let Some(offset) = self.stubs.get(&index.0) {
            return Ok(*offset);
        }
        let address = self.address(index)?;
        let offset = self.layout.stubs + self.stubs.len() * STUB_BYTES;
        let Some(stub) = bytes.get_mut(offset..offset + STUB_BYTES) else {
            return Err(std::io::Error::other("more stubs than symbols").into());
        };
        let jump: &[u8] = match self.file.architecture() {
            // jmp [rip + 10]
            object::Architecture::X86_64 => &[0xff, 0x25, 10, 0, 0, 0],
            // ldr x16, #16; br x16
            _ => &[0x90, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6],
        };
        stub[..jump.len()].copy_from_slice(jump);
        stub[STUB_ADDRESS..].copy_from_slice(&address.to_le_bytes());
        self.stubs.insert(index.0, offset);
        Ok(offset)
    }
}

fn put(bytes: &mut [u8], site: &Site<'_>, value: &[u8]) -> Result<(), LinkError> {
    let place = bytes
        .get_mut(site.at..site.at + value.len())
        .ok_or_else(|| site.error("lies outside its section"))?;
    place.copy_from_slice(value);
    Ok(())
}
