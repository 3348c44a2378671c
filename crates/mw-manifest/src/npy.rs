//! NumPy's `.npy` files: one array each.
//!
//! Read: versions 1 to 3, either byte order, C and Fortran order. Written: version 1, little end first, C order.
//! NumPy has no bfloat16; as `ml_dtypes` does, it is read from and written as two-byte `V2` (or `bfloat16`).
//!
//! # Source
//! NumPy's documentation, "NumPy format" (`numpy.lib.format`).

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::Dtype;
use crate::error::ManifestError;
use crate::tensor::{Tensor, checked_size};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Headers longer than this are no honest ones: dictionaries of three entries.
const HEADER_LIMIT: usize = 64 * 1024;

/// Reads the array of a file.
pub fn read(path: &Path) -> Result<Tensor, ManifestError> {
    let bytes = fs::read(path).map_err(|source| ManifestError::Io { path: path.to_owned(), source })?;
    from_bytes(&bytes).map_err(|reason| ManifestError::Npy { file: path.display().to_string(), reason })
}

/// Writes an array to a file.
pub fn write(path: &Path, tensor: &Tensor) -> Result<(), ManifestError> {
    let io = |source| ManifestError::Io { path: path.to_owned(), source };
    let mut file = fs::File::create(path).map_err(io)?;
    file.write_all(&header(tensor)).map_err(io)?;
    file.write_all(&tensor.bytes).map_err(io)
}

/// The array in the bytes of a file.
pub fn from_bytes(bytes: &[u8]) -> Result<Tensor, String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("it does not start with \\x93NUMPY")?;
    let (version, rest) = rest.split_at_checked(2).ok_or("it ends in its version")?;
    let (length, rest) = match version[0] {
        1 => {
            let (length, rest) = rest.split_at_checked(2).ok_or("it ends in its header length")?;
            (usize::from(u16::from_le_bytes([length[0], length[1]])), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_at_checked(4).ok_or("it ends in its header length")?;
            (u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize, rest)
        }
        other => return Err(format!("version {other} is not known; versions 1 to 3 are")),
    };
    if length > HEADER_LIMIT {
        return Err(format!("its header claims {length} bytes"));
    }
    let (header, data) = rest.split_at_checked(length).ok_or("it ends in its header")?;
    let header = std::str::from_utf8(header).map_err(|_| "its header is no text")?;
    let descr = string_of(header, "descr").ok_or("its header names no type (`descr`)")?;
    let (dtype, is_big_endian) = dtype_of(descr)?;
    let fortran = match entry(header, "fortran_order").map(str::trim_start) {
        Some(text) if text.starts_with("True") => true,
        Some(text) if text.starts_with("False") => false,
        _ => return Err("its header does not say `fortran_order`".to_owned()),
    };
    let shape = shape_of(header)?;
    let size = checked_size(dtype, &shape).map_err(|error| error.to_string())?;
    let Some(data) = data.get(..size) else {
        return Err(format!("its shape needs {size} bytes, but only {} follow", data.len()));
    };
    let mut bytes = data.to_vec();
    if is_big_endian {
        // A complex number is two floats, each swapped by itself.
        let unit = if dtype == Dtype::Complex64 { 4 } else { dtype.size() };
        bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
    }
    if fortran && shape.len() > 1 {
        bytes = to_row_major(&bytes, &shape, dtype.size());
    }
    Ok(Tensor { dtype, shape, bytes })
}

/// Everything before the data.
fn header(tensor: &Tensor) -> Vec<u8> {
    let extents: Vec<String> = tensor.shape.iter().map(ToString::to_string).collect();
    // A tuple of one element has a comma after it.
    let shape = extents.join(", ") + if extents.len() == 1 { "," } else { "" };
    let descr = descr_of(tensor.dtype);
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    let fixed = MAGIC.len() + 4;
    // The data starts at a multiple of 64; the header ends in a line feed.
    while !(fixed + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

fn descr_of(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::Bool => "|b1",
        Dtype::I8 => "|i1",
        Dtype::U8 => "|u1",
        Dtype::I16 => "<i2",
        Dtype::U16 => "<u2",
        Dtype::I32 => "<i4",
        Dtype::U32 => "<u4",
        Dtype::I64 => "<i8",
        Dtype::U64 => "<u8",
        Dtype::F16 => "<f2",
        Dtype::Bf16 => "<V2",
        Dtype::F32 => "<f4",
        Dtype::F64 => "<f8",
        Dtype::Complex64 => "<c8",
    }
}

fn dtype_of(descr: &str) -> Result<(Dtype, bool), String> {
    let (is_big_endian, kind) = match descr.as_bytes().first() {
        Some(b'<' | b'|' | b'=') => (false, &descr[1..]),
        Some(b'>') => (true, &descr[1..]),
        _ => (false, descr),
    };
    let known = Dtype::all().find(|dtype| &descr_of(*dtype)[1..] == kind);
    let dtype = if kind == "bfloat16" { Some(Dtype::Bf16) } else { known };
    dtype
        .map(|dtype| (dtype, is_big_endian))
        .ok_or_else(|| format!("its type `{descr}` is not supported: convert it with `array.astype(…)`"))
}

/// The text after `'key':` in the header's dictionary.
fn entry<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    ['\'', '"'].iter().find_map(|quote| {
        let after = header.split_once(&format!("{quote}{key}{quote}"))?.1;
        after.trim_start().strip_prefix(':')
    })
}

fn string_of<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let text = entry(header, key)?.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split(quote).next()
}

fn shape_of(header: &str) -> Result<Vec<usize>, String> {
    let text = entry(header, "shape").ok_or("its header has no `shape`")?;
    let inner = text.trim_start().strip_prefix('(').and_then(|text| text.split_once(')'));
    let (inner, _) = inner.ok_or("its `shape` is no tuple")?;
    inner
        .split(',')
        .map(str::trim)
        .filter(|extent| !extent.is_empty())
        .map(|extent| extent.parse().map_err(|_| format!("`{extent}` in its shape is no number")))
        .collect()
}

/// Reorders elements whose first index runs fastest.
fn to_row_major(bytes: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for extent in shape {
        strides.push(stride);
        stride *= extent;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut position = vec![0; shape.len()];
    for _ in 0..bytes.len() / size.max(1) {
        let source: usize = position.iter().zip(&strides).map(|(at, stride)| at * stride).sum();
        out.extend(&bytes[source * size..][..size]);
        for axis in (0..shape.len()).rev() {
            position[axis] += 1;
            if position[axis] < shape[axis] {
                break;
            }
            position[axis] = 0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([version, 0]);
        if version == 1 {
            bytes.extend((header.len() as u16).to_le_bytes());
        } else {
            bytes.extend((header.len() as u32).to_le_bytes());
        }
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        for dtype in Dtype::all() {
            for shape in [vec![], vec![3], vec![2, 0], vec![2, 3, 4]] {
                let mut tensor = Tensor::zeros(dtype, shape).unwrap();
                for (index, byte) in tensor.bytes.iter_mut().enumerate() {
                    *byte = if dtype == Dtype::Bool { index as u8 & 1 } else { index as u8 };
                }
                let mut bytes = header(&tensor);
                assert_eq!(bytes.len() % 64, 0);
                bytes.extend(&tensor.bytes);
                assert_eq!(from_bytes(&bytes), Ok(tensor));
            }
        }
    }

    #[test]
    fn foreign_orders_are_put_right() {
        let big = file(2, "{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}", &[1, 2, 3, 4]);
        assert_eq!(from_bytes(&big).unwrap().bytes, [2, 1, 4, 3]);
        let fortran =
            file(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", &[1, 4, 2, 5, 3, 6]);
        assert_eq!(from_bytes(&fortran).unwrap().bytes, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn damaged_files_are_refused() {
        let whole = file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", &[0; 4]);
        for length in 0..whole.len() {
            from_bytes(&whole[..length]).expect_err("truncated");
        }
        let header = |text: &str| from_bytes(&file(1, text, &[])).unwrap_err();
        insta::assert_snapshot!(header("{'descr': '<U5', 'fortran_order': False, 'shape': ()}"), @"its type `<U5` is not supported: convert it with `array.astype(…)`");
        insta::assert_snapshot!(header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999)}"), @"`f32[99999999999,99999999999]` has 18446744073709551615 bytes; the limit is 68719476736");
        insta::assert_snapshot!(header("{'descr': '<f4', 'shape': ()}"), @"its header does not say `fortran_order`");
    }
}
