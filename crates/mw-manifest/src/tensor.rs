//! [`Tensor`]: elements in row-major order with a shape.

use std::fmt::{self, Write as _};

use crate::Dtype;
use crate::error::ManifestError;

/// The most bytes that a tensor of a manifest may have.
pub const TENSOR_LIMIT_BYTES: u64 = 64 << 30;

/// An array of elements, row-major, little end first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tensor {
    /// Type of the elements.
    pub dtype: Dtype,
    /// Extents, outermost first; none for a scalar.
    pub shape: Vec<usize>,
    /// The elements.
    pub bytes: Vec<u8>,
}

impl Tensor {
    /// A tensor of zero bytes.
    pub fn zeros(dtype: Dtype, shape: Vec<usize>) -> Result<Self, ManifestError> {
        let size = checked_size(dtype, &shape)?;
        let mut bytes = room(dtype, &shape, size)?;
        bytes.resize(size, 0);
        Ok(Self { dtype, shape, bytes })
    }

    /// A one-dimensional view of bytes as elements; a rest that fills no element is left out.
    pub fn of_bytes(dtype: Dtype, mut bytes: Vec<u8>) -> Self {
        let count = bytes.len() / dtype.size();
        bytes.truncate(count * dtype.size());
        Self { dtype, shape: vec![count], bytes }
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.dtype.size()
    }

    /// The bytes of element `index`.
    pub fn element(&self, index: usize) -> &[u8] {
        let size = self.dtype.size();
        &self.bytes[index * size..][..size]
    }

    /// Type and shape: `f32[4,5]`.
    pub fn describe(&self) -> String {
        describe(self.dtype, &self.shape)
    }

    /// Position of element `index` in the shape: `[3, 17]`.
    pub fn position(&self, index: usize) -> Vec<usize> {
        let mut rest = index;
        let mut position: Vec<usize> = self
            .shape
            .iter()
            .rev()
            .map(|extent| {
                let at = rest % (*extent).max(1);
                rest /= (*extent).max(1);
                at
            })
            .collect();
        position.reverse();
        position
    }
}

/// Type and shape as the grammar writes them.
pub(crate) fn describe(dtype: Dtype, shape: &[usize]) -> String {
    let extents: Vec<String> = shape.iter().map(ToString::to_string).collect();
    format!("{dtype}[{}]", extents.join(","))
}

/// Bytes of a tensor, if they stay under the limit.
pub(crate) fn checked_size(dtype: Dtype, shape: &[usize]) -> Result<usize, ManifestError> {
    let size = shape.iter().try_fold(dtype.size() as u64, |size, extent| size.checked_mul(*extent as u64));
    match size {
        Some(size) if size <= TENSOR_LIMIT_BYTES => Ok(size as usize),
        _ => Err(ManifestError::TooLarge {
            what: describe(dtype, shape),
            bytes: size.unwrap_or(u64::MAX),
            limit: TENSOR_LIMIT_BYTES,
        }),
    }
}

/// An empty vector with room for a tensor; an error, not an abort, when there is none.
pub(crate) fn room(dtype: Dtype, shape: &[usize], size: usize) -> Result<Vec<u8>, ManifestError> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(size)
        .map_err(|_| ManifestError::OutOfMemory { what: describe(dtype, shape), bytes: size as u64 })?;
    Ok(bytes)
}

/// As NumPy prints: brackets by dimension, the middle of long dimensions left out.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = |index: usize| self.dtype.format(self.element(index));
        write_part(f, &self.shape, 0, 0, &texts)
    }
}

/// Elements shown at each end of a dimension that is longer than [`LONG`].
const SHOWN: usize = 3;
/// Dimensions up to this extent are shown whole.
const LONG: usize = 16;

fn write_part(
    f: &mut fmt::Formatter<'_>,
    shape: &[usize],
    first: usize,
    depth: usize,
    texts: &dyn Fn(usize) -> String,
) -> fmt::Result {
    let Some((extent, inner)) = shape.split_first() else { return f.write_str(&texts(first)) };
    let stride: usize = inner.iter().product();
    f.write_char('[')?;
    let mut at = 0;
    while at < *extent {
        if at > 0 {
            f.write_char(',')?;
            if inner.is_empty() {
                f.write_char(' ')?;
            } else {
                write!(f, "\n{:width$}", "", width = depth + 1)?;
            }
        }
        if *extent > LONG && at == SHOWN {
            f.write_str("…")?;
            at = extent - SHOWN;
            continue;
        }
        write_part(f, inner, first + at * stride, depth + 1, texts)?;
        at += 1;
    }
    f.write_char(']')
}
