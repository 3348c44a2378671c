//! LLVM must accept what the printer writes, wide code included.

mod support;

use mw_air::{
    AddressSpace, Attribute, Attributes, BinaryOp, Builder, Call, Callee, CastOp, Constant, Flags, Function,
    FunctionType, Global, Inst, Linkage, MdNode, MdOperand, Module, NamedMetadata, PrintOptions, Scalar,
    StructType, Terminator, Type, TypedConstant, print,
};
use support::through_llvm;

fn signature(ret: Type, params: Vec<Type>) -> FunctionType {
    FunctionType { ret, params, varargs: false }
}

/// A module with something of everything that the transforms make.
fn wide_module() -> Module {
    let floats = Type::Vector(Scalar::Float, 32);
    let device = Scalar::Ptr(AddressSpace::DEVICE);
    let mask = Type::Vector(Scalar::Int(1), 32);
    let mut module = Module { source_filename: "wide".into(), ..Module::default() };
    let mut table = Global::new("table", Type::array(Type::I8, 4), AddressSpace::CONSTANT);
    table.is_constant = true;
    table.align = 4;
    let bytes = [0_u64, 65, 34, 255].map(|byte| TypedConstant::int(Type::I8, byte));
    table.initializer = Some(TypedConstant {
        ty: Type::array(Type::I8, 4),
        value: Constant::Aggregate(bytes.to_vec().into()),
    });
    module.add_global(table);
    let mut shared = Global::new("a name", Type::array(Type::FLOAT, 32), AddressSpace::THREADGROUP);
    shared.initializer = Some(TypedConstant { ty: shared.ty.clone(), value: Constant::Undef });
    module.add_global(shared);
    let gather_type = signature(floats.clone(), vec![Type::Vector(device, 32), mask.clone(), floats.clone()]);
    let mut gather = Function::new("llvm.masked.gather.v32f32.v32p1", gather_type.clone());
    gather.attrs = Attributes(vec![Attribute::Int("memory".into(), 0x555)]);
    let gather = module.add_function(gather);

    let pair: Type = Type::Struct(
        StructType {
            name: Some("struct.pair".into()),
            fields: vec![Type::I32, Type::Vector(Scalar::Half, 3)],
            packed: false,
            opaque: false,
        }
        .into(),
    );
    let mut function =
        Function::new("k", signature(Type::Void, vec![Type::ptr(AddressSpace::DEVICE), Type::I32]));
    function.linkage = Linkage::WeakOdr;
    function.attrs = Attributes(vec![
        Attribute::Enum("nounwind".into()),
        Attribute::String("denormal-fp-math-f32".into(), "preserve-sign,preserve-sign".into()),
        Attribute::String("flag only".into(), "".into()),
    ]);
    function.param_attrs = vec![
        Attributes(vec![
            Attribute::Enum("noalias".into()),
            Attribute::Int("align".into(), 64),
            Attribute::Int("dereferenceable".into(), 128),
            Attribute::Int("captures".into(), 0),
        ]),
        Attributes::default(),
    ];
    let entry = function.add_block();
    let body = function.add_block();
    let exit = function.add_block();
    let mut b = Builder::at(&mut function, entry);
    let (base, count) = (b.function.param(0), b.function.param(1));
    let lane_numbers: Vec<TypedConstant> = (0..32).map(|lane| TypedConstant::int(Type::I32, lane)).collect();
    let lanes = b.function.add_constant(TypedConstant {
        ty: Type::Vector(Scalar::Int(32), 32),
        value: Constant::Aggregate(lane_numbers.into()),
    });
    let splat = b.splat(count, 32);
    let below = b.icmp(mw_air::IntPredicate::Ult, lanes, splat);
    let pointers = b.gep(&Type::FLOAT, base, vec![lanes]);
    let zero = b.zero(&floats);
    let call = Call {
        callee: Callee::Function(gather),
        ty: gather_type,
        args: vec![pointers, below, zero],
        attrs: Attributes(vec![Attribute::Enum("nounwind".into())]),
        ret_attrs: Attributes::default(),
        arg_attrs: vec![Attributes(vec![Attribute::Int("align".into(), 4)])],
        calling_convention: 0,
        tail: 1,
        flags: Flags::NNAN,
    };
    let values = b.push(Inst::Call(Box::new(call)), floats.clone());
    let nan = b.float_bits(&floats, 0x7f80_0001);
    let third = b.float(&floats, f64::from(1.0_f32 / 3.0));
    let sum = b.binary_flags(BinaryOp::FAdd, values, third, Flags::FAST);
    let sum = b.binary_flags(BinaryOp::FMul, sum, nan, Flags::ARCP.union(Flags::CONTRACT));
    let halves = b.cast(CastOp::FpTrunc, sum, &Type::Vector(Scalar::Half, 32));
    let one = b.float(&Type::Vector(Scalar::Half, 32), 1.0);
    let halves = b.binary(BinaryOp::FSub, halves, one);
    let bf = b.float(&Type::BFLOAT, -2.0);
    let wide_bytes = b.cast(CastOp::Bitcast, sum, &Type::Vector(Scalar::Int(8), 128));
    let reversed =
        b.shuffle(wide_bytes, wide_bytes, (0..128).rev().map(|i| if i == 7 { -1 } else { i }).collect());
    b.store(base, reversed, 4);
    b.store(base, halves, 2);
    b.store(base, bf, 2);
    let flag = b.extract(below, 31);
    b.cond_br(flag, body, exit);
    b.switch_to(body);
    let poison = b.poison(&pair);
    let minus = b.int(&Type::I32, u64::MAX);
    let pair_value =
        b.push(Inst::InsertValue { aggregate: poison, element: minus, indices: vec![0] }, pair.clone());
    let slot = b.alloca(&pair, 8);
    b.store(slot, pair_value, 8);
    let sum = b.binary_flags(BinaryOp::Add, count, minus, Flags::NSW.union(Flags::EXACT));
    b.terminate(Terminator::Switch {
        value: sum,
        default: exit,
        cases: vec![(7, body), (u64::from(u32::MAX), exit)],
    });
    b.switch_to(exit);
    b.ret(None);
    let kernel = module.add_function(function);

    let kernel_ref = MdOperand::Value(TypedConstant {
        ty: Type::ptr(AddressSpace::THREAD),
        value: Constant::Function(kernel),
    });
    let unused = module.metadata.add(MdNode { distinct: false, operands: vec![] });
    let inner = module.metadata.add(MdNode {
        distinct: true,
        operands: vec![MdOperand::String("quote \" and \u{e9}".into()), MdOperand::Null],
    });
    let outer =
        module.metadata.add(MdNode { distinct: false, operands: vec![kernel_ref, MdOperand::Node(inner)] });
    module.metadata.named.push(NamedMetadata { name: "air.kernel".into(), nodes: vec![outer] });
    assert_eq!(unused.index(), 0);
    module
}

#[test]
fn llvm_accepts_wide_code() {
    let text = wide_module().to_string();
    through_llvm(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
}

#[test]
fn metadata_and_target_are_optional() {
    let options = PrintOptions {
        metadata: false,
        debug: true,
        triple: Some("x86_64-unknown-linux-gnu"),
        data_layout: Some("e-m:e-p:64:64"),
    };
    let text = print(&wide_module(), &options);
    assert!(text.contains("target triple = \"x86_64-unknown-linux-gnu\""), "{text}");
    assert!(!text.contains('!'), "{text}");
    through_llvm(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
}

#[test]
fn numbers_are_dense_and_unused_things_stay_out() {
    let text = wide_module().to_string();
    assert!(text.contains("!air.kernel = !{!0}\n\n!0 = !{ptr @k, !1}\n!1 = distinct !{"), "{text}");
    assert!(text.contains("%struct.pair = type { i32, <3 x half> }"), "{text}");
    assert!(text.contains("@\"a name\" = internal addrspace(3) global [32 x float] undef"), "{text}");
    assert!(text.contains("c\"\\00A\\22\\FF\""), "{text}");
    assert!(text.contains("add nsw i32 %1, -1"), "{text}");
}
