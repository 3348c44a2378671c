//! Prints one stage of the compilation of a bitcode file: `stage FILE air|scalar|simd|asm`.
#![expect(clippy::print_stdout, reason = "a command for the terminal")]

use mw_air::schema::ModuleInfo;
use mw_backend::ConstantValues;
use mw_cpu::{CpuBackend, CpuOptions, Stage};
use mw_passes::abi::ThreadgroupShape;
use mw_passes::specialize;

fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().expect("usage: stage FILE air|scalar|simd|asm");
    let stage = match args.next().as_deref() {
        Some("air") => Stage::Air,
        Some("scalar") => Stage::Scalar,
        Some("simd") => Stage::Simd,
        _ => Stage::Asm,
    };
    let backend = CpuBackend::new(CpuOptions::from_environment().expect("settings make sense"));
    let mut module = mw_metallib::read_module(&std::fs::read(file).expect("file can be read"))
        .expect("module can be read");
    let info = ModuleInfo::parse(&module).expect("schema can be read");
    let mut values = ConstantValues::new();
    for constant in &info.function_constants {
        let size = match &*constant.type_name {
            "bool" | "char" | "uchar" => 1,
            "short" | "ushort" | "half" => 2,
            _ => 4,
        };
        values.set(constant.index, 1, size);
    }
    specialize::specialize(&mut module, &info, &values).expect("constants can be set");
    match backend.stage(&module, &info, 0, ThreadgroupShape::LINEAR_FULL, stage) {
        Ok(text) => println!("{text}"),
        Err(error) => println!("{error}"),
    }
}
