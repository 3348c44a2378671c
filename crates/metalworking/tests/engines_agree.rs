//! Every kernel of `tests/run` on the interpreter and on the CPU engine: the same bits, in every launch
//! shape. `tests/run/README.md` says what a kernel file holds.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use metalworking::{Device, Engine, Library, Size};

const OUT_WORDS: usize = 16_384;
const IN_WORDS: usize = 4_096;

/// Threads and threadgroup sizes: whole simdgroups, partial ones, and lanes that differ in two axes.
const SHAPES: [([u32; 3], [u32; 3]); 5] = [
    ([256, 1, 1], [64, 1, 1]),
    ([1000, 1, 1], [256, 1, 1]),
    ([33, 1, 1], [33, 1, 1]),
    ([64, 4, 1], [64, 4, 1]),
    ([24, 4, 1], [24, 4, 1]),
];

/// Whether threads of one column would write the same place: such kernels need one row.
fn is_flat(([_, rows, _], _): ([u32; 3], [u32; 3])) -> bool {
    rows == 1
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run")
}

/// The module around a kernel body.
fn module(body: &str) -> String {
    let metadata = include_str!("../../../tests/kernel_metadata.ll");
    format!("target triple = \"air64_v26-apple-macosx14.0.0\"\n{body}\n{metadata}")
}

fn noise(count: usize) -> Vec<u32> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 24) as u32
        })
        .collect()
}

fn run(device: &Device, text: &str, shape: ([u32; 3], [u32; 3])) -> Result<Vec<u32>, String> {
    let fail = |error: &dyn std::fmt::Display| error.to_string();
    let library = Library::from_air_text(text).map_err(|error| fail(&error))?;
    let function = library.function("k").map_err(|error| fail(&error))?;
    let pipeline = device.new_compute_pipeline_state(&function).map_err(|error| fail(&error))?;
    let out = device.new_buffer_with_data(&vec![0xdead_beef_u32; OUT_WORDS]).map_err(|error| fail(&error))?;
    let input = device.new_buffer_with_data(&noise(IN_WORDS)).map_err(|error| fail(&error))?;
    let commands = device.new_command_queue().command_buffer();
    let mut encoder = commands.compute_command_encoder();
    let size = |[x, y, z]: [u32; 3]| Size::new(x as usize, y as usize, z as usize);
    encoder.set_compute_pipeline_state(&pipeline).set_buffer(0, &out, 0).set_buffer(1, &input, 0);
    encoder.dispatch_threads(size(shape.0), size(shape.1)).end_encoding().map_err(|error| fail(&error))?;
    commands.commit().map_err(|error| fail(&error))?;
    commands.wait_until_completed().map_err(|error| fail(&error))?;
    Ok(out.to_vec())
}

#[test]
fn engines_agree_on_every_kernel() {
    let devices = Engine::ALL.map(|engine| engine.device(None).expect("a device"));
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("tests/run is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ll"))
        .collect();
    files.sort();
    assert!(files.len() >= 20, "only {} kernels in tests/run", files.len());
    let mut failures = String::new();
    for file in &files {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = module(&std::fs::read_to_string(file).expect("readable"));
        for shape in SHAPES.into_iter().filter(|shape| is_flat(*shape) || !text.contains("air.wg.barrier")) {
            let results: Vec<_> = devices.iter().map(|device| run(device, &text, shape)).collect();
            match (&results[0], &results[1]) {
                (Ok(a), Ok(b)) => {
                    assert!(a.iter().any(|word| *word != 0xdead_beef), "{name} wrote nothing");
                    if let Some(place) = (0..OUT_WORDS).find(|place| a[*place] != b[*place]) {
                        writeln!(
                            failures,
                            "{name}, {shape:?}: word {place} is {:#x} by {} and {:#x} by {}",
                            a[place],
                            devices[0].backend_name(),
                            b[place],
                            devices[1].backend_name()
                        )
                        .expect("strings take all");
                    }
                }
                (a, b) => {
                    writeln!(
                        failures,
                        "{name}, {shape:?}: {:?} and {:?}",
                        a.as_ref().err(),
                        b.as_ref().err()
                    )
                    .expect("strings take all");
                }
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
