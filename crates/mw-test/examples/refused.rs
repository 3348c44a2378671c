//! Which generated kernels the front-end refuses, and why: a look at generator and front-end.
#![allow(clippy::print_stdout, reason = "an example talks to the terminal")]

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    let show: Option<u64> = std::env::args().nth(2).and_then(|text| text.parse().ok());
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(move || {
        let (mut accepted, mut bytes) = (0, 0);
        for seed in 0..count {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let data: Vec<u8> = (0..64 + seed as usize % 7 * 128)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    (state >> 32) as u8
                })
                .collect();
            let source = mw_test::generate(&data);
            bytes += source.len();
            if show == Some(seed) {
                println!("{source}");
            }
            let held = mw_test::hold(&source);
            match held.errors.first() {
                None => accepted += 1,
                Some(error) => println!("{seed}: {error}"),
            }
            for message in &held.unsupported {
                println!("{seed}: unsupported: {message}");
            }
        }
        println!("{accepted} of {count} accepted, {} bytes on average", bytes / count.max(1) as usize);
    });
    thread.expect("a thread").join().expect("no panic");
}
