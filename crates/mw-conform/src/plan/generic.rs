//! Launches guessed from names and types. Buffers grow to what a kernel touches, so a guess only has to
//! make sizes small, consistent and not negative.

use mw_air::AddressSpace;
use mw_air::schema::{Access, ArgRole, BufferArg, FunctionConstant, KernelArg, KernelInfo, StructMember};
use mw_backend::{ConstantValues, Grid};

use super::{ArgPlan, Case, Element, Fill, FillKind, mix, stream};

/// One guess at sizes and shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    /// Which guess; function constants follow its bits.
    pub(super) index: usize,
    /// What sizes are.
    pub(super) size: i64,
    /// Threads of a threadgroup, where the kernel states no number.
    pub(super) threadgroup: [u32; 3],
    pub(super) threadgroups: [u32; 3],
    /// What inputs hold.
    pub(super) data: FillKind,
}

const ROUNDS: [Round; 6] = [
    Round { index: 0, size: 64, threadgroup: [64, 1, 1], threadgroups: [2, 1, 1], data: FillKind::Normal },
    Round { index: 1, size: 37, threadgroup: [8, 8, 1], threadgroups: [2, 2, 1], data: FillKind::Special },
    Round { index: 2, size: 200, threadgroup: [256, 1, 1], threadgroups: [1, 2, 1], data: FillKind::Normal },
    Round { index: 3, size: 5, threadgroup: [32, 2, 1], threadgroups: [1, 1, 2], data: FillKind::Special },
    Round { index: 4, size: 96, threadgroup: [128, 1, 1], threadgroups: [2, 2, 1], data: FillKind::Edges },
    Round { index: 5, size: 1, threadgroup: [33, 3, 2], threadgroups: [1, 1, 1], data: FillKind::Normal },
];

/// Rounds after those: the same shapes, other data. They cost little, because nothing is compiled anew, and
/// kernels that read a single element see another one each time.
const MORE_ROUNDS: usize = 40;

/// Cases for a kernel without a rule.
pub(super) fn cases(kernel: &KernelInfo, constants: &[FunctionConstant], seed: u64) -> Vec<Case> {
    (0..ROUNDS.len() + MORE_ROUNDS)
        .map(round)
        .map(|round| {
            let round = &round;
            let seed = seed ^ round.index as u64;
            Case {
                label: format!("guess {}", round.index),
                constants: constant_values(constants, round.index),
                grid: Grid::of_threadgroups(round.threadgroups, threadgroup(kernel, round)),
                args: kernel
                    .args
                    .iter()
                    .enumerate()
                    .map(|(index, arg)| argument(arg, round, stream(seed, index)))
                    .collect(),
            }
        })
        .collect()
}

/// The round that rules fall back on for arguments that they do not name.
pub(super) fn round(index: usize) -> Round {
    match ROUNDS.get(index) {
        Some(round) => *round,
        None => Round { index, data: FillKind::Edges, ..ROUNDS[index % 2] },
    }
}

fn threadgroup(kernel: &KernelInfo, round: &Round) -> [u32; 3] {
    match kernel.max_threads_per_threadgroup {
        None => round.threadgroup,
        Some(max) if max >= 256 && round.index % 2 == 1 => [max / 2, 1, 1],
        Some(max) => [max, 1, 1],
    }
}

/// Booleans follow the bits of the round, numbers are small.
pub(super) fn constant_values(constants: &[FunctionConstant], round: usize) -> ConstantValues {
    let mut values = ConstantValues::new();
    for (place, constant) in constants.iter().enumerate() {
        let element = Element::of_type(&constant.type_name, None);
        let mut bytes = Vec::new();
        match element {
            // All false, all true, then every other one.
            Element::Bool => {
                let set = match round {
                    0 => false,
                    1 => true,
                    2 | 3 => (place + round).is_multiple_of(2),
                    // Nothing new: later rounds change the data only.
                    _ => round.is_multiple_of(2),
                };
                bytes.push(u8::from(set));
            }
            _ => element
                .bytes_of_int([1, 2, 4, 1, 1, 2][if round < 4 { round } else { round % 2 }], &mut bytes),
        }
        values.set(constant.index, element.bits(&bytes), element.size() as u8);
    }
    values
}

/// Pointers of an argument buffer that states no size.
const POINTERS: u32 = 8;

/// An argument buffer of `count` pointers to buffers of the same kind.
pub(super) fn pointers(count: usize, element: Element, kind: FillKind, stream: u64) -> ArgPlan {
    let fill = |pointer| Fill { element, kind, stream: mix(stream ^ pointer as u64) };
    ArgPlan::Pointers((0..count).map(fill).collect())
}

/// What an argument receives when nothing else is said.
pub(super) fn argument(arg: &KernelArg, round: &Round, stream: u64) -> ArgPlan {
    let buffer = match &arg.role {
        ArgRole::Buffer(buffer) => buffer,
        ArgRole::IndirectBuffer(buffer) => {
            // Nothing says what is behind the pointers; most often it is floats.
            let count = buffer.size.or(buffer.type_size).map_or(POINTERS, |size| size / 8);
            return pointers(count as usize, Element::Float, round.data, stream);
        }
        ArgRole::Builtin(_) | ArgRole::VisibleFunctionTable { .. } => return ArgPlan::Builtin,
    };
    if buffer.space == AddressSpace::THREADGROUP {
        return ArgPlan::Threadgroup(24 << 10);
    }
    let element = Element::of_type(&arg.type_name, buffer.type_size);
    if !buffer.members.is_empty() && !arg.type_name.starts_with("complex") {
        let mut bytes = Vec::new();
        structure(&buffer.members, round, &mut bytes);
        bytes.resize(bytes.len().max(buffer.type_size.unwrap_or(0) as usize), 0);
        return ArgPlan::Exact { bytes, element };
    }
    if buffer.space == AddressSpace::CONSTANT && buffer.access == Access::Read {
        return constant(arg, buffer, element, round, stream);
    }
    let name = arg.name.to_ascii_lowercase();
    let kind = if buffer.access != Access::Read {
        FillKind::Pattern
    } else if !element.is_float()
        && (["ind", "idx", "offset", "segment"].iter().any(|part| name.contains(part))
            || name.ends_with("ids"))
    {
        FillKind::Range(0.0, 4.0)
    } else {
        round.data
    };
    ArgPlan::Fill(Fill { element, kind, stream })
}

fn constant(arg: &KernelArg, buffer: &BufferArg, element: Element, round: &Round, stream: u64) -> ArgPlan {
    let mut bytes = Vec::new();
    if let Some(size) = buffer.size {
        let count = (size as usize / element.size()).max(1);
        for place in 0..count {
            element.bytes_of_float(scalar(&arg.name, element, place, round), &mut bytes);
        }
        bytes.resize(size as usize, 0);
        return ArgPlan::Exact { bytes, element };
    }
    let name = arg.name.to_ascii_lowercase();
    if name.contains("shape") || name.contains("stride") {
        for place in 0..8 {
            element.bytes_of_float(scalar(&arg.name, element, place, round), &mut bytes);
        }
        return ArgPlan::Exact { bytes, element };
    }
    let kind = if element.is_float() { FillKind::Normal } else { FillKind::Range(0.0, 4.0) };
    ArgPlan::Fill(Fill { element, kind, stream })
}

/// Members of a structure, nested ones included.
fn structure(members: &[StructMember], round: &Round, bytes: &mut Vec<u8>) {
    let base = bytes.len();
    for member in members {
        bytes.resize(bytes.len().max(base + member.offset as usize), 0);
        bytes.truncate(base + member.offset as usize);
        if !member.members.is_empty() {
            structure(&member.members, round, bytes);
            continue;
        }
        let element = Element::of_type(&member.type_name, Some(member.size));
        for place in 0..member.array_length.max(1) as usize {
            element.bytes_of_float(scalar(&member.name, element, place, round), bytes);
        }
    }
}

/// A number that fits the name. `place` counts the elements of an array.
fn scalar(name: &str, element: Element, place: usize, round: &Round) -> f64 {
    let name = name.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if element.is_float() {
        return if has(&["eps"]) { 1e-5 } else { [0.5, 1.25][round.index % 2] };
    }
    if element == Element::Bool {
        return [0.0, 1.0][round.index % 2];
    }
    let size = round.size as f64;
    if has(&["ndim", "num_dims"]) {
        2.0
    } else if has(&["shape"]) {
        [2.0, size, 3.0, 2.0][place % 4]
    } else if has(&["stride", "jump"]) {
        [size, 1.0, 1.0, 1.0][place % 4]
    } else if has(&["offset", "off", "rem", "log", "start"]) {
        0.0
    } else if has(&["batch", "head", "group", "blocks", "tiles", "partitions", "factor"]) {
        2.0
    } else {
        size
    }
}
