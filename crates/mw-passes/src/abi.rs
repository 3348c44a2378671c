//! The contract between a 32-lane kernel and whoever calls it.
//!
//! A kernel is compiled to `void @mw_kernel(ptr context, ptr arguments)`, which runs one simdgroup of one
//! threadgroup from start to end. `arguments` points to one 8-byte slot for each kernel parameter: the
//! address of a buffer or of threadgroup memory; slots of built-ins and absent arguments are not read.
//! `context` points to a [`SimdgroupContext`].
//!
//! The kernel calls `void @mw_barrier(ptr context)` where all simdgroups of the threadgroup must meet. At
//! back edges it reads the flag behind [`SimdgroupContext::stop`]; once that is not zero every loop ends
//! and the kernel returns soon, with garbage in memory.

/// Symbol of the compiled kernel.
pub const KERNEL_SYMBOL: &str = "mw_kernel";

/// Symbol of the threadgroup barrier that the caller provides.
pub const BARRIER_SYMBOL: &str = "mw_barrier";

/// Symbol of the function that copies a tile: `void @mw_copy_tile(ptr tile)`, with a [`TileCopy`].
pub const COPY_TILE_SYMBOL: &str = "mw_copy_tile";

/// A copy of elements between two tiles, as `simdgroup_async_copy` does it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TileCopy {
    /// Bytes of an element.
    pub element_bytes: u64,
    /// First element of the target.
    pub to: *mut u8,
    /// Elements from a row of the target to the next, and from a column to the next.
    pub to_row: u64,
    /// See `to_row`.
    pub to_column: u64,
    /// Columns and rows that are written.
    pub width: u64,
    /// See `width`.
    pub height: u64,
    /// First element of the source.
    pub from: *const u8,
    /// Elements from a row of the source to the next, and from a column to the next.
    pub from_row: u64,
    /// See `from_row`.
    pub from_column: u64,
    /// Columns and rows that the source has.
    pub source_width: u64,
    /// See `source_width`.
    pub source_height: u64,
    /// Where the target's corner lies in the source; may be outside.
    pub offset_x: i64,
    /// See `offset_x`.
    pub offset_y: i64,
    /// Elements outside the source: 0 zeros, otherwise the nearest edge.
    pub to_edge: u64,
}

/// What a simdgroup knows about itself. Read-only for the kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SimdgroupContext {
    /// Position of the threadgroup in the grid.
    pub threadgroup_position: [u32; 3],
    /// Size of this threadgroup: smaller than full at the edges of the grid.
    pub threads_per_threadgroup: [u32; 3],
    /// Size of a full threadgroup.
    pub dispatch_threads_per_threadgroup: [u32; 3],
    /// Threads in the grid.
    pub threads_per_grid: [u32; 3],
    /// Threadgroups in the grid.
    pub threadgroups_per_grid: [u32; 3],
    /// Index of the simdgroup in its threadgroup.
    pub simdgroup_index: u32,
    /// Simdgroups of this threadgroup.
    pub simdgroups_per_threadgroup: u32,
    /// Simdgroups of a full threadgroup.
    pub dispatch_simdgroups_per_threadgroup: u32,
    /// Lanes that exist: the last simdgroup may have fewer than 32.
    pub lane_count: u32,
    /// Position in the threadgroup of lane 0.
    pub first_thread_position: [u32; 3],
    /// Not read; keeps the pointers aligned.
    pub reserved: u32,
    /// Static threadgroup memory of this threadgroup.
    pub threadgroup_memory: *mut u8,
    /// Flag that asks the kernel to end.
    pub stop: *const u32,
    /// For the caller's own use, such as the fibre to switch to at a barrier.
    pub owner: *mut u8,
}

/// Byte offsets in [`SimdgroupContext`], for generated code.
pub mod offset {
    use super::SimdgroupContext;
    use std::mem::offset_of;

    /// `threadgroup_position`.
    pub const THREADGROUP_POSITION: u64 = offset_of!(SimdgroupContext, threadgroup_position) as u64;
    /// `threads_per_threadgroup`.
    pub const THREADS_PER_THREADGROUP: u64 = offset_of!(SimdgroupContext, threads_per_threadgroup) as u64;
    /// `dispatch_threads_per_threadgroup`.
    pub const DISPATCH_THREADS_PER_THREADGROUP: u64 =
        offset_of!(SimdgroupContext, dispatch_threads_per_threadgroup) as u64;
    /// `threads_per_grid`.
    pub const THREADS_PER_GRID: u64 = offset_of!(SimdgroupContext, threads_per_grid) as u64;
    /// `threadgroups_per_grid`.
    pub const THREADGROUPS_PER_GRID: u64 = offset_of!(SimdgroupContext, threadgroups_per_grid) as u64;
    /// `simdgroup_index`.
    pub const SIMDGROUP_INDEX: u64 = offset_of!(SimdgroupContext, simdgroup_index) as u64;
    /// `simdgroups_per_threadgroup`.
    pub const SIMDGROUPS_PER_THREADGROUP: u64 =
        offset_of!(SimdgroupContext, simdgroups_per_threadgroup) as u64;
    /// `dispatch_simdgroups_per_threadgroup`.
    pub const DISPATCH_SIMDGROUPS_PER_THREADGROUP: u64 =
        offset_of!(SimdgroupContext, dispatch_simdgroups_per_threadgroup) as u64;
    /// `lane_count`.
    pub const LANE_COUNT: u64 = offset_of!(SimdgroupContext, lane_count) as u64;
    /// `first_thread_position`.
    pub const FIRST_THREAD_POSITION: u64 = offset_of!(SimdgroupContext, first_thread_position) as u64;
    /// `threadgroup_memory`.
    pub const THREADGROUP_MEMORY: u64 = offset_of!(SimdgroupContext, threadgroup_memory) as u64;
    /// `stop`.
    pub const STOP: u64 = offset_of!(SimdgroupContext, stop) as u64;
}

/// What the code assumes of the threadgroups that it runs. A kernel is compiled once for each shape that it
/// meets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadgroupShape {
    /// A simdgroup's lanes differ only in x: the width is a multiple of 32, or there is one row. Then y and
    /// z are uniform and x is consecutive.
    pub linear: bool,
    /// Every simdgroup has 32 lanes, so that the mask at the start is known.
    pub full: bool,
}

impl ThreadgroupShape {
    /// Number of shapes.
    pub const COUNT: usize = 4;

    /// Every shape, by [`Self::index`].
    pub const ALL: [Self; Self::COUNT] = [
        Self { linear: false, full: false },
        Self { linear: true, full: false },
        Self { linear: false, full: true },
        Self { linear: true, full: true },
    ];

    /// The shape that most launches have.
    pub const LINEAR_FULL: Self = Self { linear: true, full: true };

    /// The shape of a threadgroup of this size.
    pub fn of(size: [u32; 3]) -> Self {
        let threads: u32 = size.iter().product();
        Self {
            linear: size[0].is_multiple_of(32) || (size[1] == 1 && size[2] == 1),
            full: threads.is_multiple_of(32),
        }
    }

    /// Position in [`Self::ALL`].
    pub fn index(self) -> usize {
        usize::from(self.linear) + 2 * usize::from(self.full)
    }

    /// Short name, for files and reports.
    pub fn name(self) -> &'static str {
        match (self.linear, self.full) {
            (false, false) => "general",
            (true, false) => "linear",
            (false, true) => "general-full",
            (true, true) => "linear-full",
        }
    }

    /// The same shape without the promise of full simdgroups.
    #[must_use]
    pub fn partial(self) -> Self {
        Self { full: false, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_listed_at_their_index() {
        for (index, shape) in ThreadgroupShape::ALL.into_iter().enumerate() {
            assert_eq!(shape.index(), index);
        }
    }

    #[test]
    fn shape_follows_from_the_size() {
        let shape = |size| ThreadgroupShape::of(size).name();
        assert_eq!(shape([64, 2, 1]), "linear-full");
        assert_eq!(shape([36, 1, 1]), "linear");
        assert_eq!(shape([8, 8, 1]), "general-full");
        assert_eq!(shape([36, 2, 1]), "general");
    }
}
