//! Programs built by hand: every module that lowering makes is one that the verifier accepts, and holds what
//! the program says.

use mw_air::schema::{Access as AirAccess, ArgRole, ModuleInfo};
use mw_lower::{LowerOptions, lower_kernel};
use mw_msl::ast::{BinaryOp, MathMode};
use mw_msl::hir::{
    Access, ArgumentKind, Cast, Constant, Expr, ExprKind, Field, FloatRules, Function, FunctionId, Global,
    GlobalId, GlobalKind, Kernel, KernelArgument, Local, LocalId, Place, PlaceKind, Program, Record, Stmt,
    StmtKind, SwitchCase, Unroll,
};
use mw_msl::types::{AddressSpace, QualType, RecordId, Scalar, Type, TypeId};
use mw_source::Span;

/// A program in the making, with short names for what it is made of.
#[derive(Default)]
struct Hand {
    program: Program,
}

const RULES: FloatRules = FloatRules { contract: true, math_mode: MathMode::Safe };

fn span() -> Span {
    Span::default()
}

impl Hand {
    fn ty(&mut self, ty: Type) -> TypeId {
        self.program.types.intern(ty)
    }

    fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.ty(Type::Scalar(scalar))
    }

    fn pointer(&mut self, to: TypeId, space: AddressSpace, is_const: bool) -> TypeId {
        self.ty(Type::Pointer(QualType { space, is_const, ..QualType::plain(to) }))
    }

    fn reference(&mut self, to: TypeId, space: AddressSpace) -> TypeId {
        let target = QualType { space, is_const: true, ..QualType::plain(to) };
        self.ty(Type::Reference { target, is_rvalue: false })
    }

    fn int(&mut self, value: i128) -> Expr {
        let ty = self.scalar(Scalar::Int);
        expr(ExprKind::Constant(Constant::Int(value)), ty)
    }

    fn kernel(
        &mut self,
        name: &str,
        locals: Vec<(&str, TypeId)>,
        arguments: Vec<KernelArgument>,
        body: Vec<Stmt>,
    ) {
        let void = self.ty(Type::Void);
        let locals = locals
            .into_iter()
            .map(|(name, ty)| Local {
                name: name.into(),
                ty: QualType::plain(ty),
                align_bytes: self.program.layout(ty).1,
                span: span(),
            })
            .collect();
        self.program.functions.push(Function {
            name: name.into(),
            air_name: name.into(),
            result: QualType::plain(void),
            parameters: arguments.len() as u32,
            locals,
            body: Some(body),
            is_always_inline: false,
            is_noinline: false,
            span: span(),
        });
        let function = FunctionId(self.program.functions.len() as u32 - 1);
        self.program.kernels.push(Kernel {
            name: name.into(),
            function,
            arguments,
            max_total_threads_per_threadgroup: Some(256),
            is_visible: false,
            span: span(),
        });
    }
}

fn expr(kind: ExprKind, ty: TypeId) -> Expr {
    Expr { kind, ty, span: span() }
}

fn place(kind: PlaceKind, ty: TypeId) -> Place {
    Place { kind, ty: QualType::plain(ty), span: span() }
}

fn local(id: u32, ty: TypeId) -> Place {
    place(PlaceKind::Local(LocalId(id)), ty)
}

fn load(place: Place) -> Expr {
    let ty = place.ty.ty;
    expr(ExprKind::Load(Box::new(place)), ty)
}

fn deref(pointer: Expr, ty: TypeId) -> Place {
    place(PlaceKind::Deref(Box::new(pointer)), ty)
}

fn element(pointer: Expr, index: Expr, ty: TypeId) -> Place {
    let pointer_ty = pointer.ty;
    let moved = ExprKind::PointerOffset {
        pointer: Box::new(pointer),
        offset: Box::new(index),
        is_subtraction: false,
    };
    deref(expr(moved, pointer_ty), ty)
}

fn binary(op: BinaryOp, a: Expr, b: Expr, ty: TypeId) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b), RULES), ty)
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: span() }
}

fn assign(place: Place, value: Expr, void: TypeId) -> Stmt {
    stmt(StmtKind::Expr(expr(ExprKind::Assign(Box::new(place), Box::new(value)), void)))
}

fn argument(name: &str, type_name: &str, kind: ArgumentKind) -> KernelArgument {
    KernelArgument {
        name: name.into(),
        type_name: type_name.into(),
        kind,
        is_reference: false,
        array_length: None,
        is_template_parameter: false,
        gate: None,
        span: span(),
    }
}

fn buffer(name: &str, type_name: &str, index: u32, access: Access) -> KernelArgument {
    argument(name, type_name, ArgumentKind::Buffer { index, access })
}

/// Lowers, verifies, and gives the text.
fn text(hand: &Hand, kernel: &str) -> (String, ModuleInfo) {
    let module = lower_kernel(&hand.program, kernel, &LowerOptions::default()).expect("lowers");
    let text = mw_air::print(&module, &mw_air::PrintOptions::default());
    if let Ok(folder) = std::env::var("MW_SHOW_AIR") {
        std::fs::write(format!("{folder}/{kernel}.ll"), &text).expect("written");
    }
    if let Err(errors) = mw_air::verify(&module) {
        panic!("{errors:?}\n{text}");
    }
    mw_air::parse(&text).expect("the text is read back");
    (text, ModuleInfo::parse(&module).expect("the metadata follows the schema"))
}

#[test]
fn a_product_fuses_with_each_sum_that_it_stands_in() {
    let mut hand = Hand::default();
    let float = hand.scalar(Scalar::Float);
    let float3 = hand.ty(Type::Vector(Scalar::Float, 3));
    let uint = hand.scalar(Scalar::UInt);
    let void = hand.ty(Type::Void);
    let input = hand.pointer(float3, AddressSpace::Device, true);
    let output = hand.pointer(float, AddressSpace::Device, false);
    let component =
        |index: u8| load(place(PlaceKind::Swizzle(Box::new(local(3, float3)), vec![index]), float));
    let body = vec![
        stmt(StmtKind::Let(
            LocalId(3),
            Some(load(element(load(local(0, input)), load(local(2, uint)), float3))),
        )),
        assign(
            element(load(local(1, output)), load(local(2, uint)), float),
            binary(
                BinaryOp::Sub,
                component(2),
                binary(BinaryOp::Mul, component(0), component(1), float),
                float,
            ),
            void,
        ),
    ];
    let arguments = vec![
        buffer("p", "float3", 0, Access::Read),
        buffer("y", "float", 1, Access::ReadWrite),
        argument("g", "uint", ArgumentKind::Builtin("thread_position_in_grid")),
    ];
    hand.kernel("fused", vec![("p", input), ("y", output), ("g", uint), ("v", float3)], arguments, body);
    let (text, info) = text(&hand, "fused");
    assert!(text.contains("@llvm.fmuladd.f32"), "{text}");
    assert!(!text.contains("alloca"), "{text}");
    assert!(text.contains("load <3 x float>"), "{text}");
    assert_eq!(info.kernels[0].max_threads_per_threadgroup, Some(256));
    let ArgRole::Buffer(first) = &info.kernels[0].args[0].role else { panic!("{info:?}") };
    assert_eq!((first.access, first.type_size, first.type_align), (AirAccess::Read, Some(16), Some(16)));
    assert_eq!(info.language_version, (3, 1));
}

#[test]
fn records_loops_and_switches() {
    let mut hand = Hand::default();
    let int = hand.scalar(Scalar::Int);
    let boolean = hand.scalar(Scalar::Bool);
    let packed = hand.ty(Type::PackedVector(Scalar::Float, 3));
    let float3 = hand.ty(Type::Vector(Scalar::Float, 3));
    let void = hand.ty(Type::Void);
    let field = |name: &str, ty, offset_bytes| Field {
        name: name.into(),
        ty: QualType::plain(ty),
        offset_bytes,
        argument_id: None,
    };
    let array = hand.ty(Type::Array(int, 5));
    hand.program.records.push(Record {
        name: "P".into(),
        air_name: "struct.P".into(),
        is_union: false,
        fields: vec![field("flag", boolean, 0), field("at", packed, 4), field("list", array, 16)],
        bases: 0,
        size_bytes: 36,
        align_bytes: 4,
        span: span(),
    });
    let record = hand.ty(Type::Record(RecordId(0)));
    let params = hand.reference(record, AddressSpace::Constant);
    let output = hand.pointer(int, AddressSpace::Device, false);
    let one = hand.int(1);
    let five = hand.int(5);
    let zero = hand.int(0);
    let copy = || local(2, record);
    let index = || load(local(3, int));
    let list = place(PlaceKind::Field(Box::new(copy()), 2), array);
    let item = place(PlaceKind::Index(Box::new(list), Box::new(index())), int);
    let flag = load(place(PlaceKind::Field(Box::new(copy()), 0), boolean));
    let out = || element(load(local(1, output)), index(), int);
    let at = load(place(PlaceKind::Field(Box::new(copy()), 1), packed));
    let at = expr(ExprKind::Cast(Cast::Packed, Box::new(at)), float3);
    let x = expr(ExprKind::Swizzle(Box::new(at), vec![1]), hand.scalar(Scalar::Float));
    let x = expr(ExprKind::Cast(Cast::Numeric, Box::new(x)), int);
    let body = vec![
        stmt(StmtKind::Let(LocalId(2), Some(load(deref(load(local(0, params)), record))))),
        stmt(StmtKind::Let(LocalId(3), Some(zero))),
        stmt(StmtKind::Loop {
            before_condition: vec![],
            condition: Some(binary(BinaryOp::Less, index(), five, boolean)),
            step: Some(expr(
                ExprKind::Assign(
                    Box::new(local(3, int)),
                    Box::new(binary(BinaryOp::Add, index(), one.clone(), int)),
                ),
                void,
            )),
            body: vec![stmt(StmtKind::Switch {
                value: load(item.clone()),
                cases: vec![
                    SwitchCase {
                        values: vec![-1, 7],
                        is_default: false,
                        body: vec![assign(out(), one, void)],
                    },
                    SwitchCase { values: vec![3], is_default: false, body: vec![stmt(StmtKind::Continue)] },
                    SwitchCase {
                        values: vec![],
                        is_default: true,
                        body: vec![
                            stmt(StmtKind::If {
                                condition: expr(
                                    ExprKind::Binary(
                                        BinaryOp::LogicalAnd,
                                        Box::new(flag.clone()),
                                        Box::new(expr(ExprKind::Not(Box::new(flag)), boolean)),
                                        RULES,
                                    ),
                                    boolean,
                                ),
                                then: vec![stmt(StmtKind::Break)],
                                otherwise: vec![],
                            }),
                            assign(out(), x, void),
                            stmt(StmtKind::Break),
                        ],
                    },
                ],
            })],
            unroll: Unroll::Full,
        }),
        stmt(StmtKind::Return(None)),
    ];
    let arguments = vec![
        KernelArgument { is_reference: true, ..buffer("p", "P", 0, Access::Read) },
        buffer("out", "int", 1, Access::ReadWrite),
    ];
    hand.kernel("walk", vec![("p", params), ("out", output), ("c", record), ("i", int)], arguments, body);
    let (text, info) = text(&hand, "walk");
    assert!(text.contains("%struct.P = type { i8, [3 x float], [5 x i32] }"), "{text}");
    assert!(text.contains("llvm.loop.unroll.full"), "{text}");
    let ArgRole::Buffer(first) = &info.kernels[0].args[0].role else { panic!("{info:?}") };
    assert_eq!(first.size, Some(36));
    let members: Vec<_> = first
        .members
        .iter()
        .map(|member| (member.offset, member.size, member.array_length, &*member.type_name, &*member.name))
        .collect();
    assert_eq!(
        members,
        [(0, 1, 0, "bool", "flag"), (4, 12, 0, "packed_float3", "at"), (16, 4, 5, "int", "list")]
    );
}

#[test]
fn function_constants_have_apples_shape() {
    let mut hand = Hand::default();
    let boolean = hand.scalar(Scalar::Bool);
    let float = hand.scalar(Scalar::Float);
    let void = hand.ty(Type::Void);
    let output = hand.pointer(float, AddressSpace::Device, false);
    let mut global = |name: &str, ty, kind| {
        hand.program.globals.push(Global {
            name: name.into(),
            ty: QualType { space: AddressSpace::Constant, is_const: true, ..QualType::plain(ty) },
            align_bytes: 1,
            kind,
            span: span(),
        });
        GlobalId(hand.program.globals.len() as u32 - 1)
    };
    let first = global("_ZL5first", boolean, GlobalKind::FunctionConstant { index: 3 });
    let inverted = expr(ExprKind::Not(Box::new(load(place(PlaceKind::Global(first), boolean)))), boolean);
    let second = global("_ZL6second", boolean, GlobalKind::Derived(Box::new(inverted)));
    let body = vec![stmt(StmtKind::If {
        condition: load(place(PlaceKind::Global(second), boolean)),
        then: vec![assign(
            deref(load(local(0, output)), float),
            expr(ExprKind::Constant(Constant::Float(1.5)), float),
            void,
        )],
        otherwise: vec![],
    })];
    let mut gated = buffer("out", "float", 0, Access::ReadWrite);
    gated.gate = Some(second);
    hand.kernel("gated", vec![("out", output)], vec![gated], body);
    let (text, info) = text(&hand, "gated");
    assert!(text.contains("@_Z5first.MTL_FC_INIT_3_b = internal addrspace(2) externally_initialized constant i8 undef, section \"air.fc_initializer\""), "{text}");
    assert!(text.contains("section \"air.static_init\""), "{text}");
    assert!(text.contains("@__metal_implicit_fc_pred_0"), "{text}");
    assert_eq!(info.function_constants.len(), 1);
    let constant = &info.function_constants[0];
    assert_eq!(
        (&*constant.name, constant.index, &*constant.type_name, constant.required),
        ("first", 3, "bool", true)
    );
    assert!(info.kernels[0].args[0].predicate.is_some());
}

#[test]
fn what_is_not_there_is_an_error() {
    let hand = Hand::default();
    let error = lower_kernel(&hand.program, "none", &LowerOptions::default()).expect_err("no such kernel");
    assert_eq!(error.to_string(), "the program has no kernel `none`");
}
