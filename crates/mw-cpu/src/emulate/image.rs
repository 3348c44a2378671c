//! The program of one launch: an ELF file of two segments, and what its data segment holds.

use mw_backend::{Argument, Launch};
use mw_passes::abi::SimdgroupContext;

use crate::launch::KernelFacts;

/// Address of the code.
pub(super) const CODE_BASE: u64 = 1 << 32;
/// Address of the data, which `start.s` knows.
const DATA_BASE: u64 = 0x10 << 32;
const PAGE: usize = 1 << 16;
const STACK_BYTES: usize = 1 << 20;
const MAX_SIMDGROUPS: usize = 32;
const CONTEXT_BYTES: usize = size_of::<SimdgroupContext>();

/// The data segment.
pub(super) struct Data {
    bytes: Vec<u8>,
    /// Size in memory, stacks included.
    memory_len: usize,
    /// For each argument, where its bytes are in the output, and how many.
    pub(super) buffers: Vec<(usize, usize)>,
    pub(super) output_len: usize,
}

impl Data {
    /// Lays out contexts, arguments and buffers of a launch.
    pub(super) fn new(launch: &Launch<'_>, facts: &KernelFacts, flush_denormals: bool) -> Self {
        let mut data = Self { bytes: vec![0; 256], memory_len: 0, buffers: Vec::new(), output_len: 0 };
        let grid = launch.grid;
        let ring = data.reserve(32 * MAX_SIMDGROUPS);
        let stop = data.reserve(8);
        let mut memory_len = (facts.threadgroup_bytes as usize).next_multiple_of(128);
        let offsets: Vec<usize> = launch
            .args
            .iter()
            .map(|argument| match argument {
                Argument::Threadgroup { length } => {
                    let offset = memory_len;
                    memory_len = (offset + *length as usize).next_multiple_of(128);
                    offset
                }
                Argument::Buffer(_) | Argument::Builtin | Argument::Absent => 0,
            })
            .collect();
        let template = data.reserve(memory_len);
        for (offset, bytes) in &facts.image {
            let at = (template - DATA_BASE) as usize + *offset as usize;
            data.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        }
        let memory = data.reserve(memory_len);

        let output = data.reserve(0);
        let slots: Vec<u64> = launch
            .args
            .iter()
            .zip(&offsets)
            .map(|(argument, offset)| match argument {
                Argument::Buffer(view) => {
                    let address = data.reserve(view.len());
                    let at = (address - DATA_BASE) as usize;
                    // A view reads its own length.
                    let read = view.read(0, &mut data.bytes[at..at + view.len()]);
                    debug_assert!(read.is_some());
                    data.buffers.push(((address - output) as usize, view.len()));
                    address
                }
                Argument::Threadgroup { .. } => {
                    data.buffers.push((0, 0));
                    memory + *offset as u64
                }
                Argument::Builtin | Argument::Absent => {
                    data.buffers.push((0, 0));
                    0
                }
            })
            .collect();
        data.output_len = data.bytes.len() - (output - DATA_BASE) as usize;
        let arguments = data.reserve(slots.len() * 8);
        for (index, slot) in slots.iter().enumerate() {
            data.put(arguments + index as u64 * 8, *slot);
        }

        let count = grid.threadgroup_count();
        let table = data.reserve(count as usize * 16);
        for turn in 0..count {
            let position = grid.threadgroup_position(launch.order.nth(turn, count));
            let (contexts, simdgroups) = data.contexts(launch, position, memory, stop);
            data.put(table + turn * 16, contexts);
            data.put(table + turn * 16 + 8, simdgroups);
        }

        let stacks_at = data.bytes.len().next_multiple_of(PAGE);
        data.memory_len = stacks_at + STACK_BYTES * MAX_SIMDGROUPS;
        // In the order of the offsets that `start.s` reads.
        let block = [
            count,
            table,
            arguments,
            if flush_denormals { 1 << 24 } else { 0 },
            output,
            data.output_len as u64,
            DATA_BASE + stacks_at as u64,
            ring,
            0,
            0,
            memory,
            template,
            memory_len as u64,
            CONTEXT_BYTES as u64,
            std::mem::offset_of!(SimdgroupContext, owner) as u64,
        ];
        for (index, word) in (0..).zip(block) {
            data.put(DATA_BASE + index * 8, word);
        }
        data
    }

    /// Room for `len` bytes. Gives its address.
    fn reserve(&mut self, len: usize) -> u64 {
        let at = self.bytes.len().next_multiple_of(256);
        self.bytes.resize(at + len, 0);
        DATA_BASE + at as u64
    }

    fn put(&mut self, address: u64, word: u64) {
        let at = (address - DATA_BASE) as usize;
        self.bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }

    /// Contexts of a threadgroup: their address and number.
    fn contexts(&mut self, launch: &Launch<'_>, position: [u32; 3], memory: u64, stop: u64) -> (u64, u64) {
        let grid = launch.grid;
        let full: u32 = grid.threads_per_threadgroup.iter().product();
        let size = grid.threadgroup_size(position);
        let threads: u32 = size.iter().product();
        let simdgroups = threads.div_ceil(32);
        let address = self.reserve(simdgroups as usize * CONTEXT_BYTES);
        for index in 0..simdgroups {
            let first = index * 32;
            let mut words: Vec<u32> = Vec::with_capacity(CONTEXT_BYTES / 4);
            // In the order of the fields of `SimdgroupContext`.
            for triple in [position, size, grid.threads_per_threadgroup, grid.threads, grid.threadgroups()] {
                words.extend(triple);
            }
            words.extend([index, simdgroups, full.div_ceil(32), (threads - first).min(32)]);
            words.extend([first % size[0], first / size[0] % size[1], first / (size[0] * size[1])]);
            // `reserved`, and padding before the pointers.
            words.extend([0, 0]);
            for pointer in [memory, stop, 0] {
                words.extend([pointer as u32, (pointer >> 32) as u32]);
            }
            let at = (address - DATA_BASE) as usize + index as usize * CONTEXT_BYTES;
            for (index, word) in words.iter().enumerate() {
                self.bytes[at + index * 4..at + index * 4 + 4].copy_from_slice(&word.to_le_bytes());
            }
        }
        (address, u64::from(simdgroups))
    }
}

/// The ELF file.
pub(super) fn program(code: &[u8], start: usize, data: &Data) -> Vec<u8> {
    let data_at = (PAGE + code.len()).next_multiple_of(PAGE);
    let mut file = Vec::with_capacity(data_at + data.bytes.len());
    file.extend(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    let half = |file: &mut Vec<u8>, values: &[u16]| {
        file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    };
    // An executable for AArch64.
    half(&mut file, &[2, 183]);
    file.extend(1_u32.to_le_bytes());
    for value in [CODE_BASE + start as u64, 64, 0] {
        file.extend(value.to_le_bytes());
    }
    file.extend(0_u32.to_le_bytes());
    half(&mut file, &[64, 56, 2, 64, 0, 0]);
    let segments = [
        (5_u32, PAGE, CODE_BASE, code.len(), code.len()),
        (6, data_at, DATA_BASE, data.bytes.len(), data.memory_len),
    ];
    for (rights, offset, address, file_len, memory_len) in segments {
        file.extend(1_u32.to_le_bytes());
        file.extend(rights.to_le_bytes());
        let sizes = [offset as u64, address, address, file_len as u64, memory_len as u64, PAGE as u64];
        file.extend(sizes.iter().flat_map(|value| value.to_le_bytes()));
    }
    file.resize(PAGE, 0);
    file.extend(code);
    file.resize(data_at, 0);
    file.extend(&data.bytes);
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn contexts_are_written_field_by_field() {
        assert_eq!(offset_of!(SimdgroupContext, simdgroup_index), 15 * 4);
        assert_eq!(offset_of!(SimdgroupContext, lane_count), 18 * 4);
        assert_eq!(offset_of!(SimdgroupContext, first_thread_position), 19 * 4);
        assert_eq!(offset_of!(SimdgroupContext, threadgroup_memory), 24 * 4);
        assert_eq!(offset_of!(SimdgroupContext, owner), 28 * 4);
        assert_eq!(CONTEXT_BYTES, 30 * 4);
    }
}
