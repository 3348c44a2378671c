//! Bitcode as Apple's compiler writes it: typed pointers, and attributes and intrinsics of an older LLVM.
//!
//! LLVM 22 only reads that form, so the module here is written record by record; LLVM reads it too and must agree.

mod support;

use mw_metallib::{ReadError, read_module};
use support::bit_writer::BitWriter;

/// Types by number.
mod ty {
    pub(super) const I8: u64 = 0;
    pub(super) const I32: u64 = 1;
    pub(super) const FLOAT: u64 = 2;
    pub(super) const VOID: u64 = 3;
    pub(super) const I64: u64 = 4;
    pub(super) const INT_POINTER: u64 = 5;
    pub(super) const FLOAT_POINTER: u64 = 6;
    pub(super) const KERNEL: u64 = 7;
    pub(super) const BYTE_POINTER: u64 = 8;
    pub(super) const MARKER: u64 = 9;
    pub(super) const LIST_POINTER: u64 = 10;
    pub(super) const LIST: u64 = 11;
    pub(super) const I1: u64 = 12;
    pub(super) const DEVICE_BYTES: u64 = 13;
    pub(super) const MEMSET: u64 = 14;
}

fn types() -> BitWriter {
    let mut block = BitWriter::default();
    block.record(1, &[15]);
    block.record(7, &[8]);
    block.record(7, &[32]);
    block.record(3, &[]);
    block.record(2, &[]);
    block.record(7, &[64]);
    block.record(8, &[ty::I32, 1]);
    block.record(8, &[ty::FLOAT, 1]);
    block.record(21, &[0, ty::VOID, ty::INT_POINTER]);
    block.record(8, &[ty::I8, 0]);
    block.record(21, &[0, ty::VOID, ty::I64, ty::BYTE_POINTER]);
    // A structure that points to itself: the pointer comes first and refers forward.
    block.record(8, &[ty::LIST, 0]);
    block.text_record(19, &[], "struct.list");
    block.record(20, &[0, ty::LIST_POINTER, ty::I32]);
    block.record(7, &[1]);
    block.record(8, &[ty::I8, 1]);
    block.record(21, &[0, ty::VOID, ty::DEVICE_BYTES, ty::I8, ty::I64, ty::I1]);
    block
}

fn attributes(module: &mut BitWriter) {
    const FUNCTION: u64 = 0xffff_ffff;
    let mut groups = BitWriter::default();
    // argmemonly nounwind willreturn; nocapture; readonly nounwind.
    groups.record(3, &[1, FUNCTION, 0, 45, 0, 18, 0, 61]);
    groups.record(3, &[2, 2, 0, 11]);
    groups.record(3, &[3, FUNCTION, 0, 21, 0, 18]);
    module.block(10, groups);
    let mut lists = BitWriter::default();
    lists.record(2, &[1, 2]);
    // Group 9 was left out because it was empty.
    lists.record(2, &[3, 9]);
    module.block(9, lists);
}

/// Symbol names with their places in the string table.
const NAMES: [&str; 5] =
    ["head", "kernel", "llvm.lifetime.start.p0i8", "llvm.lifetime.end.p0i8", "llvm.memset.p1i8.i64"];

fn name(index: usize) -> [u64; 2] {
    let offset: usize = NAMES[..index].iter().map(|name| name.len()).sum();
    [offset as u64, NAMES[index].len() as u64]
}

fn module(body: BitWriter) -> Vec<u8> {
    let mut block = BitWriter::default();
    block.record(1, &[2]);
    block.block(17, types());
    attributes(&mut block);
    block.text_record(2, &[], "air64_v26-apple-macosx14.0.0");
    let record = |block: &mut BitWriter, code, name: [u64; 2], rest: &[u64]| {
        block.record(code, &[name.as_slice(), rest].concat());
    };
    // Value 0: a global in address space 0, explicit type, zero-initialised by value 5, internal.
    record(&mut block, 7, name(0), &[ty::LIST, 2, 6, 3, 0, 0]);
    // Values 1 to 4: type, convention, declaration, linkage, attributes, alignment, section, visibility, …
    record(&mut block, 8, name(1), &[ty::KERNEL, 0, 0, 0, 2, 0, 0, 0, 0, 0]);
    record(&mut block, 8, name(2), &[ty::MARKER, 0, 1, 0, 1, 0, 0, 0, 0, 0]);
    record(&mut block, 8, name(3), &[ty::MARKER, 0, 1, 0, 1, 0, 0, 0, 0, 0]);
    record(&mut block, 8, name(4), &[ty::MEMSET, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    let mut constants = BitWriter::default();
    // Value 5.
    constants.record(1, &[ty::LIST]);
    constants.record(2, &[]);
    block.block(11, constants);
    block.block(12, body);
    let mut file = BitWriter::bitcode();
    file.top_block(8, block);
    let mut strings = BitWriter::default();
    strings.blob_record(1, NAMES.concat().as_bytes());
    file.top_block(23, strings);
    file.into_bytes()
}

/// The value numbers of a body: parameter 6, constants from 7 on, results behind them.
fn body() -> BitWriter {
    const EXPLICIT: u64 = 1 << 15;
    let mut body = BitWriter::default();
    body.record(1, &[1]);
    let mut constants = BitWriter::default();
    constants.record(1, &[ty::I64]);
    // Value 7: i64 4; value 8: i64 0.
    constants.record(4, &[8]);
    constants.record(2, &[]);
    constants.record(1, &[ty::I32]);
    // Value 9: i32 1; 10: i8 0; 11: i1 false; 12: a null pointer to a structure.
    constants.record(4, &[2]);
    constants.record(1, &[ty::I8]);
    constants.record(2, &[]);
    constants.record(1, &[ty::I1]);
    constants.record(2, &[]);
    constants.record(1, &[ty::LIST_POINTER]);
    constants.record(2, &[]);
    body.block(11, constants);
    // 13: alloca float; the count is an absolute number; 4-byte alignment with explicit type.
    body.record(19, &[ty::FLOAT, ty::I32, 9, 1 << 6 | 3]);
    // 14: bitcast to i8*, then the marker.
    body.record(3, &[14 - 13, ty::BYTE_POINTER, 11]);
    body.record(34, &[1, EXPLICIT, ty::MARKER, 15 - 2, 15 - 7, 15 - 14]);
    // 15: the parameter as float*, 16: load, 17: the second element's address.
    body.record(3, &[15 - 6, ty::FLOAT_POINTER, 11]);
    body.record(20, &[16 - 15, ty::FLOAT, 3, 0]);
    body.record(43, &[1, ty::FLOAT, 17 - 15, 17 - 7]);
    body.record(44, &[18 - 17, 18 - 16, 3, 0]);
    // 18: the parameter as bytes, for memset.
    body.record(3, &[18 - 6, ty::DEVICE_BYTES, 11]);
    body.record(34, &[0, EXPLICIT, ty::MEMSET, 19 - 4, 19 - 18, 19 - 10, 19 - 7, 19 - 11]);
    body.record(44, &[19 - 13, 19 - 16, 3, 0]);
    body.record(34, &[1, EXPLICIT, ty::MARKER, 19 - 3, 19 - 7, 19 - 14]);
    body.record(10, &[]);
    body
}

#[test]
fn typed_pointers_become_opaque() {
    let bitcode = module(body());
    support::cross_check(&bitcode).unwrap();
    let text = read_module(&bitcode).unwrap().to_string();
    for line in [
        "%struct.list = type { ptr, i32 }",
        "@head = internal global %struct.list zeroinitializer",
        "define void @kernel(ptr addrspace(1) %0) nounwind memory(read)",
        "load float, ptr addrspace(1) %0, align 4",
        "declare void @llvm.lifetime.start.p0(ptr captures(none)) nounwind willreturn memory(argmem: readwrite)",
        "call void @llvm.memset.p1.i64(ptr addrspace(1) %0, i8 0, i64 4, i1 false)",
    ] {
        assert!(text.contains(line), "`{line}` is not in\n{text}");
    }
    assert!(!text.contains("bitcast"), "{text}");
}

#[test]
fn a_pointer_is_not_a_cast_of_itself() {
    let mut body = BitWriter::default();
    body.record(1, &[1]);
    // 7 is a cast of 8, which is still to come and therefore has its type beside it; 8 is a cast of 7.
    body.record(3, &[u64::from((7_u32).wrapping_sub(8)), ty::FLOAT_POINTER, ty::INT_POINTER, 11]);
    body.record(3, &[8 - 7, ty::FLOAT_POINTER, 11]);
    body.record(20, &[9 - 8, ty::FLOAT, 3, 0]);
    body.record(10, &[]);
    assert!(matches!(read_module(&module(body)), Err(ReadError::MalformedRecord { record: "CAST", .. })));
}

#[test]
fn a_value_that_never_comes_is_an_error() {
    let mut body = BitWriter::default();
    body.record(1, &[1]);
    body.record(20, &[u64::from((7_u32).wrapping_sub(100)), ty::FLOAT_POINTER, ty::FLOAT, 3, 0]);
    body.record(10, &[]);
    assert!(matches!(
        read_module(&module(body)),
        Err(ReadError::DanglingReference { what: "value", index: 100, .. })
    ));
}

#[test]
fn unknown_records_are_named() {
    let mut body = BitWriter::default();
    body.record(1, &[1]);
    body.record(99, &[1, 2, 3]);
    let error = read_module(&module(body)).unwrap_err();
    assert_eq!(error.to_string(), "unsupported record: code 99 in FUNCTION_BLOCK");
}

#[test]
fn streams_of_tiny_records_hit_a_limit() {
    let mut body = BitWriter::default();
    body.record(1, &[u64::from(u32::MAX)]);
    for _ in 0..(1 << 22) {
        // `unreachable`, each of which would be a block.
        body.record(15, &[]);
    }
    let error = read_module(&module(body)).unwrap_err();
    assert!(error.to_string().contains("operands in all records"), "{error}");
}
