//! The `air.*` schema, read from text written by hand, and what is wrong with it.

use std::fmt::Write as _;

use mw_air::parse;
use mw_air::schema::{Access, ArgRole, Builtin, ModuleInfo, SchemaError};

/// A module whose kernel takes what `params` and `args` say.
fn module(params: &str, args: &[&str], more: &str) -> String {
    let numbers: Vec<String> = (0..args.len()).map(|index| format!("!{}", 10 + index)).collect();
    let mut text = format!(
        "@pred = internal addrspace(2) global i8 0\n\
         @fc = internal addrspace(2) externally_initialized constant i8 undef, section \"air.fc_initializer\"\n\
         define void @k({params}) {{\n  ret void\n}}\n\
         !air.kernel = !{{!0}}\n!0 = !{{ptr @k, !1, !2, !3}}\n!1 = !{{}}\n!2 = !{{{}}}\n\
         !3 = !{{!\"air.max_work_group_size\", i32 256}}\n",
        numbers.join(", ")
    );
    for (number, arg) in numbers.iter().zip(args) {
        writeln!(text, "{number} = !{{{arg}}}").expect("text grows");
    }
    text + more
}

fn info(text: &str) -> Result<ModuleInfo, SchemaError> {
    ModuleInfo::parse(&parse(text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

fn error(text: &str) -> String {
    info(text).expect_err("must be refused").to_string()
}

const BUFFER: &str = "i32 0, !\"air.buffer\", !\"air.location_index\", i32 3, i32 1, !\"air.read_write\", \
                      !\"air.address_space\", i32 1, !\"air.arg_type_size\", i32 4, !\"air.arg_type_align_size\", \
                      i32 4, !\"air.arg_type_name\", !\"float\", !\"air.arg_name\", !\"out\"";

#[test]
fn arguments_of_every_kind() {
    let text = module(
        "ptr addrspace(1) %0, ptr addrspace(2) %1, <3 x i32> %2, ptr addrspace(1) %3, ptr addrspace(3) %4",
        &[
            BUFFER,
            "i32 1, !\"air.function_constant\", !30, !\"air.indirect_buffer\", !\"air.buffer_size\", i32 264, \
             !\"air.location_index\", i32 0, i32 1, !\"air.read\", !\"air.address_space\", i32 2, \
             !\"air.struct_type_info\", !31, !\"air.arg_type_name\", !\"Lists\", !\"air.arg_name\", !\"lists\", \
             !\"air.arg_unused\"",
            "i32 2, !\"air.thread_position_in_grid\", !\"air.arg_type_name\", !\"uint3\"",
            "i32 3, !\"air.visible_function_table\", !\"air.location_index\", i32 5, i32 1, !\"air.read\"",
            "i32 4, !\"air.buffer\", !\"air.location_index\", i32 0, i32 1, !\"air.read_write\", \
             !\"air.address_space\", i32 3, !\"air.unknown_key\", i32 7, !\"air.arg_name\", !\"scratch\"",
        ],
        "!30 = !{ptr addrspace(2) @pred, !\"bool\", !\"has_lists\"}\n\
         !31 = !{!\"air.struct_type_info\", !32, i32 0, i32 256, i32 0, !\"metal::array\", !\"params\", \
         !\"air.indirect_argument\", i32 0, i32 256, i32 4, i32 2, !\"int\", !\"sizes\"}\n\
         !32 = !{i32 0, i32 8, i32 32, !\"float\", !\"__elems\", !\"air.indirect_argument\", !33}\n\
         !33 = !{i32 0, !\"air.buffer\"}\n\
         !air.version = !{!40}\n!40 = !{i32 2, i32 6, i32 0}\n\
         !air.language_version = !{!41}\n!41 = !{!\"Metal\", i32 3, i32 1, i32 0}\n\
         !air.compile_options = !{!42, !43}\n!42 = !{!\"air.compile.denorms_disable\"}\n\
         !43 = !{!\"air.compile.fast_math_enable\"}\n\
         !air.function_constants = !{!44}\n!44 = !{ptr addrspace(2) @fc, !\"bool\", !\"fast\", i32 9, i1 true}\n",
    );
    let info = info(&text).expect("schema is good");
    assert_eq!((info.air_version, info.language_version), ((2, 6), (3, 1)));
    assert!(info.denorms_disabled && info.fast_math);
    let constant = &info.function_constants[0];
    assert_eq!((constant.index, constant.required, &*constant.name), (9, true, "fast"));
    let kernel = &info.kernels[0];
    assert_eq!(kernel.max_threads_per_threadgroup, Some(256));
    let ArgRole::Buffer(out) = &kernel.args[0].role else { panic!("{:?}", kernel.args[0]) };
    assert_eq!((out.location, out.access, out.type_size), (3, Access::ReadWrite, Some(4)));
    assert_eq!((&*kernel.args[0].type_name, &*kernel.args[0].name), ("float", "out"));
    let ArgRole::IndirectBuffer(lists) = &kernel.args[1].role else { panic!("{:?}", kernel.args[1]) };
    assert!(kernel.args[1].predicate.is_some() && kernel.args[1].unused);
    assert_eq!((lists.access, lists.size, lists.members.len()), (Access::Read, Some(264), 2));
    let params = &lists.members[0];
    assert!(params.indirect && params.members[0].indirect && !lists.members[1].indirect);
    assert_eq!((params.members[0].array_length, lists.members[1].offset), (32, 256));
    assert_eq!(kernel.args[2].role, ArgRole::Builtin(Builtin::ThreadPositionInGrid));
    assert_eq!(kernel.args[3].role, ArgRole::VisibleFunctionTable { location: 5 });
    assert_eq!(&*kernel.args[4].name, "scratch");
}

#[test]
fn roles_that_engines_lack_are_named() {
    let text = module(
        "ptr addrspace(1) %0",
        &["i32 0, !\"air.texture\", !\"air.location_index\", i32 0, i32 1, !\"air.sample\""],
        "",
    );
    let message = error(&text);
    assert!(message.contains("`air.kernel[0].args[0]` has the role `air.texture`"), "{message}");
}

#[test]
fn malformed_nodes_are_refused() {
    let one = |params: &str, arg: &str| error(&module(params, &[arg], ""));
    for (message, expected) in [
        (
            error(&module("ptr addrspace(1) %0, i32 %1", &[BUFFER], "")),
            "`air.kernel[0].args` describes 1 arguments, but `k` has 2 parameters",
        ),
        (
            error(&module("ptr addrspace(1) %0, ptr addrspace(1) %1", &[BUFFER, BUFFER], "")),
            "`air.kernel[0].args[1]` describes parameter 0 of the kernel a second time",
        ),
        (
            one("ptr addrspace(2) %0", BUFFER),
            "`air.kernel[0].args[0]` describes a buffer in device memory, but the parameter is a `ptr addrspace(2)`",
        ),
        (
            one("float %0", "i32 0, !\"air.thread_position_in_grid\""),
            "describes a thread index or size, but the parameter is a `float`",
        ),
        (
            one("ptr addrspace(1) %0", "i32 0, !\"air.buffer\", !\"air.location_index\", i32 0, i32 1"),
            "`air.kernel[0].args[0]` ends early: `air.read`, `air.write` or `air.read_write` is missing",
        ),
        (
            one("ptr addrspace(1) %0", "i32 0, !\"air.buffer\", !\"air.location_index\", !\"air.read\""),
            "`air.kernel[0].args[0]` holds a string where the schema has binding index",
        ),
        (
            one("ptr addrspace(1) %0", "i32 1, !\"air.buffer\""),
            "`air.kernel[0].args[0]` holds 1 for the parameter index, which must be below the number of parameters",
        ),
        (
            one("ptr addrspace(4) %0", &BUFFER.replace("space\", i32 1", "space\", i32 4")),
            "holds 4 for the address space, which must be 1 (device), 2 (constant) or 3 (threadgroup)",
        ),
        (one("i32 %0", "i64 4294967296"), "holds 4294967296 for parameter index, which must be below 2^32"),
        (one("i32 %0", "i32 0"), "`air.kernel[0].args[0]` ends early: role is missing"),
        (error("!air.kernel = !{!0}\n!0 = !{!\"k\"}"), "holds a string where the schema has kernel function"),
    ] {
        assert!(message.contains(expected), "{message}\nlacks: {expected}");
    }
}

#[test]
fn structures_inside_themselves_end() {
    let arg = format!("{BUFFER}, !\"air.struct_type_info\", !30");
    let text = module("ptr addrspace(1) %0", &[&arg], "!30 = distinct !{!\"air.struct_type_info\", !30}\n");
    assert!(error(&text).contains("nested more than 32 structures deep"), "{}", error(&text));
}

#[test]
fn structures_that_share_nodes_do_not_explode() {
    let arg = format!("{BUFFER}, !\"air.struct_type_info\", !30");
    let mut more = String::new();
    for level in 30..60 {
        let part = format!("!\"air.struct_type_info\", !{}, i32 0, i32 4, i32 0, !\"s\", !\"m\"", level + 1);
        writeln!(more, "!{level} = !{{{part}, {part}}}").expect("text grows");
    }
    more += "!60 = !{}\n";
    let text = module("ptr addrspace(1) %0", &[&arg], &more);
    assert!(error(&text).contains("more than 65536 members"), "{}", error(&text));
}
