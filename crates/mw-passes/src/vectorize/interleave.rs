//! Elements one lane after the other, and elements by their place: from one to the other.
//!
//! A run of `n` vectors of 32 elements, one behind the other, holds `n` elements of lane 0, then those of
//! lane 1, and so on: [`Emitter::deinterleave`], [`Emitter::interleave`]. Each step takes the even and the odd elements of two vectors apart (or merges them), as
//! one instruction does it: `n · log2 n` shuffles, where LLVM makes up to `n²` of one wide shuffle, and takes
//! seconds to find them.
//!
//! Where lanes are read one by one, they can be put where they are wanted. A *chunk* is `c` elements of one
//! lane, up to 16 bytes; of `c` vectors, vector `i` has the chunks of lanes `i`, `c + i`, `2c + i`, …
//! [`Emitter::transpose_chunks`] then works inside each chunk's place, by the instructions that all vector
//! units have for that.

use mw_air::ValueId;

use super::values::{Emitter, LANES};

const WIDTH: i32 = LANES as i32;

impl Emitter<'_, '_> {
    /// Vector `j` of the result has element `j` of each lane. There are a power of two of them.
    pub(super) fn deinterleave(&mut self, run: &[ValueId]) -> Vec<ValueId> {
        if run.len() <= 1 {
            return run.to_vec();
        }
        let mut halves = [Vec::new(), Vec::new()];
        for pair in run.chunks(2) {
            for (first, half) in halves.iter_mut().enumerate() {
                let order = (0..WIDTH).map(|index| 2 * index + first as i32).collect();
                half.push(self.b().shuffle(pair[0], pair[1], order));
            }
        }
        let even = self.deinterleave(&halves[0]);
        let odd = self.deinterleave(&halves[1]);
        even.into_iter().zip(odd).flat_map(|(even, odd)| [even, odd]).collect()
    }

    /// The run in which lane L has element L of each vector. There are a power of two of them.
    pub(super) fn interleave(&mut self, vectors: &[ValueId]) -> Vec<ValueId> {
        if vectors.len() <= 1 {
            return vectors.to_vec();
        }
        let even: Vec<ValueId> = vectors.iter().copied().step_by(2).collect();
        let odd: Vec<ValueId> = vectors.iter().copied().skip(1).step_by(2).collect();
        let (even, odd) = (self.interleave(&even), self.interleave(&odd));
        let mut run = Vec::with_capacity(vectors.len());
        for (even, odd) in even.into_iter().zip(odd) {
            for start in [0, WIDTH / 2] {
                let order = (0..WIDTH).map(|index| start + index / 2 + index % 2 * WIDTH).collect();
                run.push(self.b().shuffle(even, odd, order));
            }
        }
        run
    }

    /// From chunks to elements by their place, and back.
    pub(super) fn transpose_chunks(&mut self, vectors: &[ValueId]) -> Vec<ValueId> {
        let count = vectors.len();
        let mut vectors = vectors.to_vec();
        for _ in 0..count.ilog2() {
            let mut next = Vec::with_capacity(count);
            for index in 0..count / 2 {
                for half in [0, count as i32 / 2] {
                    let order = (0..WIDTH)
                        .map(|at| {
                            let (chunk, place) = (at / count as i32, at % count as i32);
                            chunk * count as i32 + half + place / 2 + place % 2 * WIDTH
                        })
                        .collect();
                    let (first, second) = (vectors[index], vectors[index + count / 2]);
                    next.push(self.b().shuffle(first, second, order));
                }
            }
            vectors = next;
        }
        vectors
    }
}
