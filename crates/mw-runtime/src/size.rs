//! [`Size`]: a count in x, y and z.

use std::fmt;

/// Threads or threadgroups in x, y and z (`MTLSize`).
///
/// ```
/// use mw_runtime::Size;
///
/// assert_eq!(Size::from(256), Size::new(256, 1, 1));
/// assert_eq!(Size::from((16, 16)).count(), Some(256));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Size {
    /// Along x.
    pub width: usize,
    /// Along y.
    pub height: usize,
    /// Along z.
    pub depth: usize,
}

impl Size {
    /// A size of three dimensions.
    pub const fn new(width: usize, height: usize, depth: usize) -> Self {
        Self { width, height, depth }
    }

    /// The three dimensions in order.
    pub const fn to_array(self) -> [usize; 3] {
        [self.width, self.height, self.depth]
    }

    /// The product of the dimensions; `None` when it overflows.
    pub fn count(self) -> Option<usize> {
        self.width.checked_mul(self.height)?.checked_mul(self.depth)
    }

    /// The dimensions as the 32-bit numbers that kernels see; `None` when one does not fit.
    pub(crate) fn to_u32(self) -> Option<[u32; 3]> {
        let [x, y, z] = self.to_array().map(u32::try_from);
        Some([x.ok()?, y.ok()?, z.ok()?])
    }
}

impl From<usize> for Size {
    fn from(width: usize) -> Self {
        Self::new(width, 1, 1)
    }
}

impl From<(usize, usize)> for Size {
    fn from((width, height): (usize, usize)) -> Self {
        Self::new(width, height, 1)
    }
}

impl From<(usize, usize, usize)> for Size {
    fn from((width, height, depth): (usize, usize, usize)) -> Self {
        Self::new(width, height, depth)
    }
}

impl From<[usize; 3]> for Size {
    fn from([width, height, depth]: [usize; 3]) -> Self {
        Self::new(width, height, depth)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {})", self.width, self.height, self.depth)
    }
}
