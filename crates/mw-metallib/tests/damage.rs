//! Damaged bitcode gives errors: every truncation, and bit flips from a fixed seed.
//!
//! Whatever still reads after a flip must also be fit for reflection, since that is what a loader does next.

mod support;

use std::fmt::Write as _;

use mw_metallib::{read_module, reflect};

/// A small generator of numbers (`SplitMix64`), so that failures repeat.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

fn survive(bytes: &[u8]) -> bool {
    match read_module(bytes) {
        Ok(module) => {
            let _ = reflect(&module, "kernel");
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// One to four changed bits, words or bytes.
fn damage(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] = random.next() as u8,
            1 => {
                let at = at & !3;
                if let Some(word) = bytes.get_mut(at..at + 4) {
                    word.copy_from_slice(&(random.next() as u32).to_le_bytes());
                }
            }
            _ => bytes[at] ^= 1 << random.below(8),
        }
    }
}

fn damage_module(bitcode: &[u8], rounds: usize, seed: u64) -> usize {
    let mut random = Random(seed);
    let mut read = 0;
    for _ in 0..rounds {
        let mut bytes = bitcode.to_vec();
        damage(&mut bytes, &mut random);
        read += usize::from(survive(&bytes));
    }
    read
}

#[test]
fn truncated_modules_are_errors() {
    for text in [include_str!("data/instructions.ll"), include_str!("data/constants.ll")] {
        let bitcode = support::assemble(text).unwrap();
        assert!(survive(&bitcode));
        // The symbol table of linkers stands last and is not needed; everything before it is.
        let module_end = bitcode.len() / 2;
        for length in 0..bitcode.len() {
            let read = survive(&bitcode[..length]);
            assert!(!read || length > module_end, "cut to {length} of {} bytes", bitcode.len());
        }
    }
}

#[test]
fn damaged_modules_do_not_panic() {
    for (seed, text) in [
        include_str!("data/instructions.ll"),
        include_str!("data/constants.ll"),
        include_str!("data/debug_info.ll"),
    ]
    .into_iter()
    .enumerate()
    {
        let bitcode = support::assemble(text).unwrap();
        let read = damage_module(&bitcode, 3_000, seed as u64);
        // Some damage lies in strings and must read; most must not.
        assert!((1..2_900).contains(&read), "{read} of 3000 damaged modules still read");
    }
}

/// Wide types and constants that stand for exponentially many nodes.
#[test]
fn exponential_modules_hit_a_limit() {
    let mut types = String::from("%t0 = type { i32, i32 }\n");
    for level in 1..40 {
        writeln!(types, "%t{level} = type {{ %t{0}, %t{0} }}", level - 1).unwrap();
    }
    let text = format!("{types}@g = internal global %t39 zeroinitializer\n");
    let error = read_module(&support::assemble(&text).unwrap()).unwrap_err();
    assert!(error.to_string().contains("nodes in one type"), "{error}");

    let mut constant = String::from("[2 x i32] [i32 1, i32 2]");
    let mut ty = String::from("[2 x i32]");
    let mut globals = String::new();
    // Text of twice the size at each level: kept small, the limit is on depth here.
    for level in 0..70 {
        constant = format!("[1 x {ty}] [{ty} {}]", constant.split_once("] ").map_or("", |(_, value)| value));
        ty = format!("[1 x {ty}]");
        if level == 69 {
            globals = format!("@g = internal global {constant}\n");
        }
    }
    let error = read_module(&support::assemble(&globals).unwrap()).unwrap_err();
    assert!(error.to_string().contains("levels of nested constants"), "{error}");
}

#[test]
fn damaged_kernels_do_not_panic() {
    let Some(folder) = std::env::var_os("MW_LIBRARIES") else { return };
    let path = std::path::Path::new(&folder).join("mlx14/mlx.metallib");
    let library = mw_metallib::Library::open(path).expect("MW_LIBRARIES holds mlx14/mlx.metallib");
    for function in library.functions().step_by(431) {
        let bitcode = function.bitcode().unwrap();
        if bitcode.len() < 40_000 {
            damage_module(bitcode, 60, function.index() as u64);
        }
    }
}
