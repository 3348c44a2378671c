//! Metal's rules about sizes: grids, threadgroups, threadgroup memory.

use mw_backend::Grid;

use crate::Size;
use crate::error::EncodeError;
use crate::pipeline::ComputePipelineState;

/// Threads of a threadgroup, checked against device and pipeline.
pub(crate) fn threadgroup_size(pipeline: &ComputePipelineState, size: Size) -> Result<[u32; 3], EncodeError> {
    if size.to_array().contains(&0) {
        return Err(EncodeError::ZeroSize { what: "threads per threadgroup", size });
    }
    let limit = pipeline.max_total_threads_per_threadgroup();
    match size.count() {
        Some(threads) if threads <= limit as usize => {}
        count => {
            let device_limit = pipeline.device().max_threads_per_threadgroup();
            let why = if limit < device_limit {
                format!("kernel `{}` allows", pipeline.name())
            } else {
                "the device allows".to_owned()
            };
            let threads = count.map_or_else(|| "more than 2^64".to_owned(), |threads| threads.to_string());
            return Err(EncodeError::ThreadgroupTooLarge { size, threads, limit, why });
        }
    }
    // The product is within the limit, so each dimension fits.
    Ok(size.to_u32().expect("at most 1024 threads"))
}

/// The grid of `dispatch_threads`.
pub(crate) fn thread_grid(threads: Size, threads_per_threadgroup: [u32; 3]) -> Result<Grid, EncodeError> {
    if threads.to_array().contains(&0) {
        return Err(EncodeError::ZeroSize { what: "the grid", size: threads });
    }
    let hint = ": divide the work over several dispatches";
    let too_large = EncodeError::GridTooLarge { size: threads, unit: "threads", hint };
    Ok(Grid::of_threads(threads.to_u32().ok_or(too_large)?, threads_per_threadgroup))
}

/// The grid of `dispatch_threadgroups`.
pub(crate) fn threadgroup_grid(
    threadgroups: Size,
    threads_per_threadgroup: [u32; 3],
) -> Result<Grid, EncodeError> {
    if threadgroups.to_array().contains(&0) {
        return Err(EncodeError::ZeroSize { what: "the number of threadgroups", size: threadgroups });
    }
    let threads: [Option<u32>; 3] = std::array::from_fn(|axis| {
        let groups = u32::try_from(threadgroups.to_array()[axis]).ok()?;
        groups.checked_mul(threads_per_threadgroup[axis])
    });
    match threads {
        [Some(x), Some(y), Some(z)] => Ok(Grid::of_threads([x, y, z], threads_per_threadgroup)),
        _ => Err(EncodeError::GridTooLarge {
            size: threadgroups,
            unit: "threadgroups",
            hint: ": `dispatch_threadgroups` counts threadgroups; to count threads use `dispatch_threads`",
        }),
    }
}

/// The sum of declared and set threadgroup memory, checked against the device.
pub(crate) fn threadgroup_memory(pipeline: &ComputePipelineState, dynamic: u64) -> Result<(), EncodeError> {
    let fixed = u64::from(pipeline.static_threadgroup_memory_length());
    let limit = pipeline.device().max_threadgroup_memory_length();
    let total = fixed + dynamic;
    if total > u64::from(limit) {
        return Err(EncodeError::ThreadgroupMemory {
            kernel: pipeline.name().to_owned(),
            total,
            fixed,
            dynamic,
            limit,
        });
    }
    Ok(())
}
