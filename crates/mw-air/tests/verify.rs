//! Each invariant can be broken, and is then reported at the right place.

use mw_air::{
    AddressSpace, BinaryOp, BlockId, Builder, Constant, Flags, FuncId, Function, FunctionType, Global,
    GlobalId, Inst, InstId, MdId, Module, NamedMetadata, Scalar, StructType, Terminator, Type, TypedConstant,
    ValueId, parse, verify,
};

/// The first complaint about a module.
fn complaint(module: &Module) -> String {
    match verify(module) {
        Ok(()) => panic!("accepted:\n{module}"),
        Err(errors) => errors[0].to_string(),
    }
}

#[test]
fn the_test_file_of_the_parser_verifies() {
    let module = parse(include_str!("text/everything.ll")).expect("parses");
    verify(&module).unwrap_or_else(|errors| panic!("{}", errors[0]));
}

/// Bodies of `define void @f(i32 %a, float %b, ptr %p, <4 x float> %v)` and what is wrong with them.
const BAD_BODIES: &[(&str, &str)] = &[
    ("%x = fadd i32 %a, 1", "`fadd` does not work on `i32`"),
    ("%x = and float %b, %b", "`and` does not work on `float`"),
    ("%x = fneg i32 %a", "`fneg` does not work on `i32`"),
    ("%x = trunc i32 %a to i64", "`trunc` does not convert `i32` to `i64`"),
    ("%x = bitcast float %b to i64", "`bitcast` does not convert `float` to `i64`"),
    ("%x = bitcast ptr %p to i64", "`bitcast` does not convert `ptr` to `i64`"),
    ("%x = zext <4 x float> %v to <4 x i64>", "`zext` does not convert `<4 x float>` to `<4 x i64>`"),
    ("%x = sitofp i32 %a to <4 x float>", "`sitofp` does not convert `i32` to `<4 x float>`"),
    ("%x = icmp eq float %b, %b", "`icmp` does not work on `float`"),
    ("%x = fcmp oeq i32 %a, %a", "`fcmp` does not work on `i32`"),
    ("%x = select i32 %a, float %b, float %b", "a `i32` cannot choose a `float`"),
    ("%x = select i1 true, float %b, i32 %a", "the second choice must be a `float`, not a `i32`"),
    (
        "%x = select <2 x i1> zeroinitializer, <4 x float> %v, <4 x float> %v",
        "a `<2 x i1>` cannot choose a `<4 x float>`",
    ),
    ("%x = extractelement <4 x float> %v, float %b", "the index must be an integer, not a `float`"),
    ("%x = insertelement <4 x float> %v, i32 %a, i32 0", "the element must be a `float`, not a `i32`"),
    (
        "%x = shufflevector <4 x float> %v, <4 x float> %v, <2 x i32> <i32 0, i32 8>",
        "the mask chooses an element that neither vector has",
    ),
    ("%x = load i32, i32 %a", "expected a pointer, not a `i32`"),
    ("%x = load i32, ptr %p, align 3", "alignment 3 is no power of two"),
    ("store float %b, float %b", "expected a pointer, not a `float`"),
    (
        "%x = load atomic <4 x float>, ptr %p acquire, align 16",
        "a `<4 x float>` cannot be accessed atomically",
    ),
    ("%x = getelementptr { i32, i8 }, ptr %p, i64 0, i32 2", "an index walks into a `{ i32, i8 }`"),
    ("%x = getelementptr { i32, i8 }, ptr %p, i64 0, i32 %a", "an index walks into a `{ i32, i8 }`"),
    ("%x = getelementptr i32, ptr %p, float %b", "an index must be an integer, not a `float`"),
    ("%x = insertvalue { i32, i8 } undef, i8 1, 0", "the member must be a `i32`, not a `i8`"),
    ("%x = atomicrmw add ptr %p, float %b monotonic", "`atomicrmw add` does not work on `float`"),
    ("%x = cmpxchg ptr %p, float %b, float %b monotonic monotonic", "`cmpxchg` does not work on `float`"),
    ("%x = load atomic i32, ptr %p acquire", "an atomic access states its alignment"),
    ("%x = load atomic i32, ptr %p release, align 4", "this instruction cannot be ordered `release`"),
    ("fence monotonic", "this instruction cannot be ordered `monotonic`"),
    ("%x = call float @g(i32 %a)", "the call's type is not that of `@g`"),
    (
        "%x = call i32 %p(i32 %a)\n  %y = add i32 %x, %z\n  %z = add i32 1, 2",
        "an operand is not defined on every path",
    ),
    ("%x = alloca %opaque", "`%opaque` is opaque: its contents are not known"),
    (
        "br i1 true, label %m, label %n\nm:\n  %x = add i32 1, 2\n  br label %n\nn:\n  %y = add i32 %x, 1",
        "an operand is not defined",
    ),
    ("br label %m\nm:\n  %x = phi i32 [ 0, %m ]", "the entries do not match the edges into the block"),
    (
        "br label %m\nm:\n  %x = add i32 1, 2\n  %y = phi i32 [ 0, %0 ]",
        "a φ-function stands behind other instructions",
    ),
    (
        "switch i32 %a, label %m [ i32 1, label %m ]\nm:\n  %x = phi i32 [ 0, %0 ]",
        "the entries do not match the edges into the block",
    ),
    (
        "switch i32 %a, label %m [ i32 1, label %m ]\nm:\n  %x = phi i32 [ 0, %0 ], [ 1, %0 ]",
        "edges from one block bring different values",
    ),
    (
        "switch i32 %a, label %m [ i32 1, label %m i32 1, label %m ]\nm:",
        "two cases of the switch are the same",
    ),
    ("switch float %b, label %m []\nm:", "a switch decides on an integer"),
    (
        "br i1 true, label %m, label %m\nm:\n  %x = phi float [ %b, %0 ], [ %b, %0 ]\n  ret float %x\nu:",
        "the function returns `void`, not `float`",
    ),
];

#[test]
fn bad_bodies_are_reported() {
    for (body, message) in BAD_BODIES {
        let text = format!(
            "%opaque = type opaque\ndeclare float @g(float)\n\
             define void @f(i32 %a, float %b, ptr %p, <4 x float> %v) {{\n  {body}\n  ret void\n}}\n"
        );
        let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let complaint = complaint(&module);
        assert!(complaint.contains(message), "{body}\n{complaint}");
        assert!(complaint.starts_with("in `@f`"), "{complaint}");
    }
}

#[test]
fn bad_modules_are_reported() {
    for (text, message) in [
        ("@x = internal global i8 0, align 3", "alignment 3 is no power of two"),
        ("declare float @air.exp.f32(i32)", "`@air.exp.f32` cannot have this type"),
        (
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64)",
            "`@llvm.memcpy.p0.p0.i64` cannot have this type",
        ),
        ("declare internal void @f()", "a function without body must have external linkage"),
        ("define void @f(...) {\n  ret void\n}", "a function with a body takes a fixed list of arguments"),
        ("define void @f() {\nx:\n  br label %x\n}", "the entry block has predecessors"),
        (
            "@x = global ptr addrspace(1) getelementptr (i8, ptr @x, i64 1)",
            "a constant address must be a `ptr`, not a `ptr addrspace(1)`",
        ),
        ("@x = addrspace(2) global i8 0\n@y = global ptr @x", "must be a `ptr addrspace(2)`, not a `ptr`"),
        (
            "@llvm.global_ctors = appending global [1 x ptr] zeroinitializer",
            "`@llvm.global_ctors` is an appending array of `{ i32, ptr, ptr }`",
        ),
        (
            "@x = external addrspace(16777216) global i8",
            "address spaces are numbered below 2^24, not 16777216",
        ),
        ("@x = global i8 trunc (i8 1 to i8)", "`trunc` does not convert `i8` to `i8`"),
    ] {
        let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let complaint = complaint(&module);
        assert!(complaint.contains(message), "{text}\n{complaint}");
    }
}

#[test]
fn errors_name_function_block_and_instruction() {
    let text = "define i32 @f(i32 %a) {\n  br label %m\nm:\n  %x = fadd i32 %a, 1\n  ret i32 %x\n}\n";
    let module = parse(text).expect("parses");
    assert_eq!(
        complaint(&module),
        "in `@f`, block 1, at `%3 = fadd i32 %0, 1`: `fadd` does not work on `i32`"
    );
}

/// A module with one function `i32 @f(i32)` of one block, which `edit` then spoils.
fn spoiled(edit: impl FnOnce(&mut Module)) -> String {
    let mut module = Module::default();
    let ty = FunctionType { ret: Type::I32, params: vec![Type::I32], varargs: false };
    let mut function = Function::new("f", ty);
    let entry = function.add_block();
    let mut b = Builder::at(&mut function, entry);
    let param = b.function.param(0);
    let sum = b.binary(BinaryOp::Add, param, param);
    b.ret(Some(sum));
    module.add_function(function);
    verify(&module).expect("good before");
    edit(&mut module);
    complaint(&module)
}

#[test]
fn handles_out_of_range_are_reported() {
    let far = u32::MAX - 1;
    let f = FuncId(0);
    let entry = BlockId(0);
    let cases: Vec<(String, &str)> = vec![
        (
            spoiled(|module| {
                module.function_mut(f).block_mut(entry).terminator = Terminator::Br(BlockId(far));
            }),
            "jumps to one that does not exist",
        ),
        (
            spoiled(|module| {
                module.function_mut(f).block_mut(entry).terminator = Terminator::Ret(Some(ValueId(far)));
            }),
            "uses a value that does not exist",
        ),
        (
            spoiled(|module| module.function_mut(f).block_mut(entry).insts.push(InstId(far))),
            "lists an instruction that does not exist",
        ),
        (
            spoiled(|module| module.function_mut(f).block_mut(entry).insts.push(InstId(0))),
            "stands in two places",
        ),
        (
            spoiled(|module| {
                module.function_mut(f).inst_mut(InstId(0)).inst = Inst::Binary {
                    op: BinaryOp::Add,
                    lhs: ValueId(far),
                    rhs: ValueId(0),
                    flags: Flags::NONE,
                };
            }),
            "an operand is a value that does not exist",
        ),
        (
            spoiled(|module| module.function_mut(f).inst_mut(InstId(0)).result = Some(ValueId(0))),
            "a value that something else defines",
        ),
        (
            spoiled(|module| module.function_mut(f).inst_mut(InstId(0)).result = None),
            "this instruction must have a result",
        ),
        (
            spoiled(|module| {
                module.function_mut(f).inst_mut(InstId(0)).metadata.push(("x".into(), MdId(far)));
            }),
            "attachment `!x` is a node that does not exist",
        ),
        (
            spoiled(|module| {
                module.metadata.named.push(NamedMetadata { name: "n".into(), nodes: vec![MdId(far)] });
            }),
            "lists a node that does not exist",
        ),
        (
            spoiled(|module| {
                let value = Constant::Global(GlobalId(far));
                let ty = Type::ptr(AddressSpace::THREAD);
                module.function_mut(f).add_constant(TypedConstant { ty, value });
            }),
            "refers to a variable that does not exist",
        ),
        (
            spoiled(|module| {
                let again = module.functions[0].clone();
                module.add_function(again);
            }),
            "two symbols are called `@f`",
        ),
        (
            spoiled(|module| {
                module.function_mut(f).block_mut(entry).insts.clear();
            }),
            "not defined on every path",
        ),
        (
            spoiled(|module| {
                module.add_global(Global::new("g", Type::int(65), AddressSpace::DEVICE));
            }),
            "integers have 1 to 64 bits",
        ),
        (
            spoiled(|module| {
                module.add_global(Global::new("g", Type::Vector(Scalar::Half, 0), AddressSpace::DEVICE));
            }),
            "vectors have 1 to 4096 elements",
        ),
    ];
    for (complaint, message) in cases {
        assert!(complaint.contains(message), "{complaint}\nlacks: {message}");
    }
}

#[test]
fn types_that_explode_are_refused_quickly() {
    let mut ty = Type::I8;
    for _ in 0..50 {
        ty = Type::Struct(
            StructType { name: None, fields: vec![ty.clone(), ty], packed: false, opaque: false }.into(),
        );
    }
    let complaint = spoiled(|module| {
        module.add_global(Global::new("g", ty, AddressSpace::DEVICE));
    });
    assert!(complaint.contains("made of more than 4096 others"), "{complaint}");
}
