//! Symbol names: the string table, and the spelling of LLVM's intrinsics.

use std::borrow::Cow;

use crate::bitstream::{Event, Record, Stream};
use crate::error::ReadError;

/// The string table of a file, which its modules' records point into.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StringTable<'a> {
    blob: &'a [u8],
}

impl<'a> StringTable<'a> {
    /// Reads `STRTAB_BLOCK`, which the stream has just entered.
    pub(super) fn read(stream: &mut Stream<'a>, record: &mut Record<'a>) -> Result<Self, ReadError> {
        let mut table = Self::default();
        loop {
            match stream.next(record)? {
                Event::End => return Ok(table),
                Event::Block(_) => stream.skip()?,
                Event::Record if record.code == 1 => table.blob = record.blob,
                Event::Record => {}
            }
        }
    }

    /// The name at `offset`.
    pub(super) fn get(&self, offset: u64, length: u64) -> Result<&'a str, ReadError> {
        let range = offset.checked_add(length).filter(|&end| end <= self.blob.len() as u64);
        let Some(end) = range else {
            return Err(ReadError::MalformedRecord {
                block: "MODULE_BLOCK",
                record: "symbol name",
                rule: "names lie inside the string table",
            });
        };
        std::str::from_utf8(&self.blob[offset as usize..end as usize]).map_err(|_| {
            ReadError::MalformedRecord {
                block: "STRTAB_BLOCK",
                record: "symbol name",
                rule: "names are UTF-8",
            }
        })
    }
}

/// An intrinsic's name under opaque pointers: `llvm.memcpy.p3i8.p1i8.i64` is `llvm.memcpy.p3.p1.i64`.
pub(super) fn upgrade_intrinsic_name(name: &str) -> Cow<'_, str> {
    if !name.starts_with("llvm.") || !name.split('.').any(|part| pointer_space(part).is_some()) {
        return Cow::Borrowed(name);
    }
    let parts: Vec<&str> =
        name.split('.').map(|part| pointer_space(part).map_or(part, |digits| &part[..=digits])).collect();
    Cow::Owned(parts.join("."))
}

/// Number of digits of the address space in `p3i8`, if the part is a typed pointer's.
fn pointer_space(part: &str) -> Option<usize> {
    let rest = part.strip_prefix('p')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && digits < rest.len()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::upgrade_intrinsic_name;

    #[test]
    fn typed_pointers_leave_intrinsic_names() {
        assert_eq!(upgrade_intrinsic_name("llvm.memcpy.p3i8.p1i8.i64"), "llvm.memcpy.p3.p1.i64");
        assert_eq!(upgrade_intrinsic_name("llvm.lifetime.start.p0i8"), "llvm.lifetime.start.p0");
        assert_eq!(upgrade_intrinsic_name("llvm.memset.p0.i64"), "llvm.memset.p0.i64");
        assert_eq!(upgrade_intrinsic_name("llvm.ctpop.i32"), "llvm.ctpop.i32");
        assert_eq!(upgrade_intrinsic_name("air.fake.p3i8"), "air.fake.p3i8");
    }
}
