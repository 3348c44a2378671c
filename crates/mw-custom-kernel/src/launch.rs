//! [`Plan`]: grid and threadgroup, checked; [`Launch`]: a plan with its memory.

use crate::error::Error;
use crate::signature::Injected;

/// Sizes of a launch that passed the checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Threads along each axis.
    pub grid: [u32; 3],
    /// Threads of a threadgroup along each axis, cut to the grid.
    pub threadgroup: [u32; 3],
}

impl Plan {
    /// Checks sizes as MLX does: the threadgroup is compared with the limit *before* it is cut to the grid.
    ///
    /// `None`: the grid has no threads, and there is nothing to do. That is no mistake where the outputs have no
    /// elements or have been given a first value (`may_be_empty`).
    ///
    /// # Errors
    /// The threadgroup is over the limit, a size is negative, or a size is zero where there is work to do: MLX
    /// leaves the outputs without a value then, and says nothing.
    pub(crate) fn new(
        grid: [i32; 3],
        threadgroup: [i32; 3],
        limit: u32,
        may_be_empty: bool,
    ) -> Result<Option<Self>, Error> {
        let size = |what, size, rule| Err(Error::Size { what, size, rule });
        if grid.iter().any(|length| *length < 0) {
            return size("grid", grid, "it counts threads along each axis, so none is negative");
        }
        if threadgroup.iter().any(|length| *length < 0) {
            return size(
                "threadgroup",
                threadgroup,
                "it counts the threads of one threadgroup along each axis, so none is negative",
            );
        }
        let threads =
            threadgroup.iter().fold(1_i64, |product, length| product.saturating_mul(i64::from(*length)));
        if threads > i64::from(limit) {
            return Err(Error::ThreadgroupTooLarge { threads, limit });
        }
        if grid.contains(&0) {
            if may_be_empty {
                return Ok(None);
            }
            return size(
                "grid",
                grid,
                "no thread would run and the outputs would hold no value; it counts threads along each axis, unused axes are 1",
            );
        }
        if threads == 0 {
            return size("threadgroup", threadgroup, "every axis has at least one thread, unused axes are 1");
        }
        let [gx, gy, gz] = grid.map(i32::cast_unsigned);
        let [tx, ty, tz] = threadgroup.map(i32::cast_unsigned);
        Ok(Some(Self { grid: [gx, gy, gz], threadgroup: [tx.min(gx), ty.min(gy), tz.min(gz)] }))
    }
}

/// Memory of one array.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// First element.
    pub data: *mut u8,
    /// Bytes from there on.
    pub size_bytes: usize,
    /// Elements along each axis.
    pub shape: &'a [i32],
    /// Elements from one to the next along each axis.
    pub strides: &'a [i64],
}

/// One launch of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Sizes.
    pub plan: Plan,
    /// Inputs in the order of their names, contiguous already where the definition wants that.
    pub inputs: &'a [Argument<'a>],
    /// Which facts each input brings along.
    pub injected: &'a [Injected],
    /// Outputs in the order of their names.
    pub outputs: &'a [Argument<'a>],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threadgroups_are_cut_to_the_grid_after_the_check() {
        let plan = Plan::new([100, 1, 1], [256, 1, 1], 1024, false).unwrap().unwrap();
        assert_eq!(plan, Plan { grid: [100, 1, 1], threadgroup: [100, 1, 1] });
        let error = Plan::new([4, 1, 1], [2048, 1, 1], 1024, false).unwrap_err();
        let text =
            "Thread group size (2048) is greater than  the maximum allowed threads per threadgroup (1024).";
        assert!(error.to_string().starts_with(text), "{error}");
        assert!(Plan::new([4, 1, 1], [1 << 20, 1 << 20, 1 << 30], 1024, false).is_err());
    }

    #[test]
    fn empty_grids_are_errors_unless_there_is_nothing_to_write() {
        assert_eq!(Plan::new([0, 1, 1], [1, 1, 1], 1024, true).unwrap(), None);
        let error = Plan::new([0, 1, 1], [1, 1, 1], 1024, false).unwrap_err();
        assert!(
            error.to_string().starts_with("[metal_kernel] `grid` is (0, 1, 1): no thread would run"),
            "{error}"
        );
        assert!(Plan::new([4, 1, 1], [0, 1, 1], 1024, true).is_err());
        assert!(Plan::new([4, -1, 1], [1, 1, 1], 1024, true).is_err());
        assert!(Plan::new([4, 1, 1], [-4, -1, 1], 1024, true).is_err());
    }
}
