//! The launch shape: how many threads, in threadgroups of what size, in which order.

/// Threads in a simdgroup.
pub const SIMD_WIDTH: u32 = 32;

/// The shape of a launch. Threadgroups at the far edges are smaller when `threads` is no multiple of
/// `threads_per_threadgroup`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Grid {
    /// Threads in x, y, z. None is zero.
    pub threads: [u32; 3],
    /// Threads of a full threadgroup in x, y, z. None is zero.
    pub threads_per_threadgroup: [u32; 3],
}

impl Grid {
    /// A grid of whole threadgroups, as `dispatch_threadgroups` makes it.
    pub fn of_threadgroups(threadgroups: [u32; 3], threads_per_threadgroup: [u32; 3]) -> Self {
        let threads =
            std::array::from_fn(|axis| threadgroups[axis].saturating_mul(threads_per_threadgroup[axis]));
        Self { threads, threads_per_threadgroup }
    }

    /// A grid of exactly `threads`, as `dispatch_threads` makes it.
    pub fn of_threads(threads: [u32; 3], threads_per_threadgroup: [u32; 3]) -> Self {
        Self { threads, threads_per_threadgroup }
    }

    /// Number of threadgroups in x, y, z, partial ones included.
    pub fn threadgroups(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.threads[axis].div_ceil(self.threads_per_threadgroup[axis]))
    }

    /// Number of threadgroups.
    pub fn threadgroup_count(&self) -> u64 {
        self.threadgroups().iter().map(|count| u64::from(*count)).product()
    }

    /// Position of threadgroup `index`, x fastest.
    pub fn threadgroup_position(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.threadgroups().map(u64::from);
        [(index % x) as u32, (index / x % y) as u32, (index / (x * y)) as u32]
    }

    /// Size of the threadgroup at `position`: smaller than full at the far edges.
    pub fn threadgroup_size(&self, position: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|axis| {
            let full = self.threads_per_threadgroup[axis];
            full.min(self.threads[axis] - position[axis] * full)
        })
    }
}

/// In which order threadgroups start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ThreadgroupOrder {
    /// By index, x fastest.
    #[default]
    Ascending,
    /// A permutation that the seed determines: for finding what depends on the order.
    Shuffled(u64),
}

impl ThreadgroupOrder {
    /// Index of the threadgroup that comes `turn`-th of `count`.
    pub fn nth(self, turn: u64, count: u64) -> u64 {
        match self {
            Self::Ascending => turn,
            Self::Shuffled(seed) => permute(turn, count, seed),
        }
    }
}

/// A permutation of `0..count` by a four-round Feistel network over the next power of four, walking the
/// cycle until it falls inside.
fn permute(value: u64, count: u64, seed: u64) -> u64 {
    let half_bits = (64 - count.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1_u64 << half_bits) - 1;
    let mut value = value;
    loop {
        let (mut left, mut right) = (value >> half_bits, value & mask);
        for round in 0..4_u64 {
            let mixed = (right ^ seed.rotate_left(round as u32 * 16) ^ round)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29)
                .wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (left, right) = (right, (left ^ (mixed >> 32)) & mask);
        }
        value = left << half_bits | right;
        if value < count {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_threadgroups_are_smaller() {
        let grid = Grid::of_threads([70, 3, 1], [32, 2, 1]);
        assert_eq!(grid.threadgroups(), [3, 2, 1]);
        assert_eq!(grid.threadgroup_size([2, 1, 0]), [6, 1, 1]);
        assert_eq!(grid.threadgroup_position(4), [1, 1, 0]);
    }

    #[test]
    fn shuffled_order_is_a_permutation() {
        for count in [1, 2, 3, 17, 64, 1000] {
            for seed in 0..5 {
                let mut seen: Vec<u64> =
                    (0..count).map(|turn| ThreadgroupOrder::Shuffled(seed).nth(turn, count)).collect();
                seen.sort_unstable();
                assert!(seen.iter().copied().eq(0..count), "count {count}, seed {seed}");
            }
        }
    }
}
