//! Kernels of one call each, built as HIR, and their launches.

use crate::value::{Layout, Value, layout};
use mw_air::schema::{ArgRole, ModuleInfo};
use mw_backend::{Argument, BufferView, Grid, Launch, ThreadgroupOrder};
use mw_interp::{InterpBackend, InterpKernel};
use mw_lower::LowerOptions;
use mw_msl::ast::MathMode;
use mw_msl::hir::{
    Access, ArgumentKind, BuiltinCall, Cast, Constant, Expr, ExprKind, Function, Kernel, KernelArgument,
    Local, LocalId, Place, PlaceKind, Program, Stmt, StmtKind,
};
use mw_msl::stdlib::{Candidate, LibraryNamespace};
use mw_msl::types::{AddressSpace, QualType, Scalar, Type, TypeId, TypeStore};
use mw_source::Span;
use std::sync::Arc;

/// A constant of a type.
pub(crate) fn constant(ty: TypeId, constant: Constant) -> Expr {
    expr(ExprKind::Constant(constant), ty)
}

/// A kernel under construction.
pub(crate) struct Builder {
    program: Program,
    locals: Vec<Local>,
    arguments: Vec<KernelArgument>,
    parameters: u32,
    body: Vec<Stmt>,
}

fn expr(kind: ExprKind, ty: TypeId) -> Expr {
    Expr { kind, ty, span: Span::default() }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

fn place(kind: PlaceKind, ty: QualType) -> Place {
    Place { kind, ty, span: Span::default() }
}

fn in_space(ty: TypeId, space: AddressSpace) -> QualType {
    QualType { space, ..QualType::plain(ty) }
}

impl Builder {
    /// A kernel whose first parameter, local 0, is the thread's number.
    pub(crate) fn new(mut types: TypeStore) -> Self {
        let uint = types.intern(Type::Scalar(Scalar::UInt));
        let mut builder = Self {
            program: Program { types, ..Program::default() },
            locals: Vec::new(),
            arguments: Vec::new(),
            parameters: 0,
            body: Vec::new(),
        };
        builder.parameter("gid", "uint", ArgumentKind::Builtin("thread_position_in_grid"), uint);
        builder
    }

    pub(crate) fn types(&mut self) -> &mut TypeStore {
        &mut self.program.types
    }

    fn parameter(&mut self, name: &str, type_name: &str, kind: ArgumentKind, ty: TypeId) -> LocalId {
        self.arguments.push(KernelArgument {
            name: name.into(),
            type_name: type_name.into(),
            kind,
            is_reference: false,
            array_length: None,
            is_template_parameter: false,
            gate: None,
            span: Span::default(),
        });
        self.parameters += 1;
        self.local(name, ty)
    }

    /// Parameters come before all other locals.
    pub(crate) fn local(&mut self, name: &str, ty: TypeId) -> LocalId {
        self.locals.push(Local {
            name: name.into(),
            ty: QualType::plain(ty),
            align_bytes: 0,
            span: Span::default(),
        });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// A device buffer of elements of a type.
    pub(crate) fn buffer(&mut self, ty: TypeId) -> LocalId {
        let index = self.parameters - 1;
        let pointer = self.types().intern(Type::Pointer(in_space(ty, AddressSpace::Device)));
        let kind = ArgumentKind::Buffer { index, access: Access::ReadWrite };
        self.parameter(&format!("buffer{index}"), "buffer", kind, pointer)
    }

    pub(crate) fn local_value(&self, local: LocalId) -> Expr {
        let ty = self.locals[local.0 as usize].ty;
        expr(ExprKind::Load(Box::new(place(PlaceKind::Local(local), ty))), ty.ty)
    }

    pub(crate) fn address_of_local(&mut self, local: LocalId) -> Expr {
        let ty = self.locals[local.0 as usize].ty;
        let pointer = self.types().intern(Type::Pointer(ty));
        expr(ExprKind::AddressOf(Box::new(place(PlaceKind::Local(local), ty))), pointer)
    }

    /// `buffer[gid]`
    fn element(&mut self, buffer: LocalId, ty: TypeId) -> Place {
        let long = self.types().intern(Type::Scalar(Scalar::Long));
        let gid = self.local_value(LocalId(0));
        let offset = expr(ExprKind::Cast(Cast::Numeric, Box::new(gid)), long);
        let pointer = self.local_value(buffer);
        let pointer_ty = pointer.ty;
        let moved = ExprKind::PointerOffset {
            pointer: Box::new(pointer),
            offset: Box::new(offset),
            is_subtraction: false,
        };
        let moved = expr(moved, pointer_ty);
        place(PlaceKind::Deref(Box::new(moved)), in_space(ty, AddressSpace::Device))
    }

    pub(crate) fn load_element(&mut self, buffer: LocalId, ty: TypeId) -> Expr {
        let element = self.element(buffer, ty);
        expr(ExprKind::Load(Box::new(element)), ty)
    }

    pub(crate) fn store_element(&mut self, buffer: LocalId, ty: TypeId, value: Expr) {
        let element = self.element(buffer, ty);
        let void = self.types().intern(Type::Void);
        self.evaluate(expr(ExprKind::Assign(Box::new(element), Box::new(value)), void));
    }

    pub(crate) fn declare(&mut self, local: LocalId, value: Option<Expr>) {
        self.body.push(stmt(StmtKind::Let(local, value)));
    }

    pub(crate) fn evaluate(&mut self, value: Expr) {
        self.body.push(stmt(StmtKind::Expr(value)));
    }

    /// A threadgroup array, as a pointer to its first element.
    pub(crate) fn threadgroup_array(&mut self, ty: TypeId, count: u64) -> Expr {
        let array = self.types().intern(Type::Array(ty, count));
        self.program.globals.push(mw_msl::hir::Global {
            name: format!("shared{}", self.program.globals.len()),
            ty: in_space(array, AddressSpace::Threadgroup),
            align_bytes: 16,
            kind: mw_msl::hir::GlobalKind::Threadgroup,
            span: Span::default(),
        });
        let id = mw_msl::hir::GlobalId(self.program.globals.len() as u32 - 1);
        let whole = place(PlaceKind::Global(id), in_space(array, AddressSpace::Threadgroup));
        let int = self.types().intern(Type::Scalar(Scalar::Int));
        let first = place(
            PlaceKind::Index(Box::new(whole), Box::new(expr(ExprKind::Constant(Constant::Int(0)), int))),
            in_space(ty, AddressSpace::Threadgroup),
        );
        let pointer = self.types().intern(Type::Pointer(in_space(ty, AddressSpace::Threadgroup)));
        expr(ExprKind::AddressOf(Box::new(first)), pointer)
    }

    /// The call of an overload; defaults are filled in.
    #[expect(clippy::unused_self, reason = "reads as the rest of the builder")]
    pub(crate) fn call(&mut self, candidate: &Candidate, mode: MathMode, mut arguments: Vec<Expr>) -> Expr {
        for index in arguments.len()..candidate.parameters.len() {
            let default = candidate.defaults[index - candidate.required].clone();
            arguments.push(constant(candidate.parameters[index].ty, default));
        }
        let call = BuiltinCall { builtin: candidate.id, arguments, math_mode: mode };
        expr(ExprKind::Builtin(call), candidate.result.ty)
    }

    /// The finished program, with one kernel called `k`.
    pub(crate) fn finish(mut self) -> Program {
        let void = QualType::plain(self.types().intern(Type::Void));
        self.program.functions.push(Function {
            name: "k".into(),
            air_name: "k".into(),
            result: void,
            parameters: self.parameters,
            locals: self.locals,
            body: Some(self.body),
            is_always_inline: false,
            is_noinline: false,
            span: Span::default(),
        });
        self.program.kernels.push(Kernel {
            name: "k".into(),
            function: mw_msl::hir::FunctionId(0),
            arguments: self.arguments,
            max_total_threads_per_threadgroup: None,
            is_visible: false,
            span: Span::default(),
        });
        self.program
    }
}

/// Lowers and verifies.
pub(crate) fn lower(program: &Program, options: &LowerOptions, what: &str) -> mw_air::Module {
    let module = mw_lower::lower(program, options).unwrap_or_else(|error| panic!("{what}: {error}"));
    if let Err(errors) = mw_air::verify(&module) {
        panic!("{what}: {}\n{}", errors[0], mw_air::print(&module, &mw_air::PrintOptions::default()));
    }
    module
}

/// Prepares the kernel of a program for the interpreter.
pub(crate) fn prepare(program: &Program, options: &LowerOptions, what: &str) -> InterpKernel {
    let module = Arc::new(lower(program, options, what));
    let info = ModuleInfo::parse(&module).unwrap_or_else(|error| panic!("{what}: {error}"));
    InterpBackend::default().prepare(&module, &Arc::new(info), 0).unwrap_or_else(|error| {
        panic!("{what}: {error}\n{}", mw_air::print(&module, &mw_air::PrintOptions::default()))
    })
}

/// One threadgroup of `threads` with these buffers.
pub(crate) fn run(kernel: &InterpKernel, threads: u32, buffers: &mut [Vec<u8>], what: &str) {
    let mut buffers = buffers.iter_mut();
    let arguments: Vec<Argument> = mw_backend::Kernel::info(kernel)
        .args
        .iter()
        .map(|argument| match &argument.role {
            ArgRole::Buffer(_) => {
                let bytes = buffers.next().expect("a buffer for each pointer");
                // SAFETY: the caller's vectors outlive the launch, and nobody else touches them.
                #[expect(unsafe_code, reason = "a view is made of an address")]
                let view = unsafe { BufferView::new(bytes.as_mut_ptr(), bytes.len()) };
                Argument::Buffer(view)
            }
            _ => Argument::Builtin,
        })
        .collect();
    let launch = Launch {
        grid: Grid::of_threads([threads, 1, 1], [threads, 1, 1]),
        args: &arguments,
        resident: &[],
        order: ThreadgroupOrder::Ascending,
        time_limit: None,
    };
    kernel.run_observed(&launch, None).unwrap_or_else(|error| panic!("{what}: {error}"));
}

/// Options without fast math.
pub(crate) fn safe() -> LowerOptions {
    LowerOptions { fast_math: false, ..LowerOptions::default() }
}

/// What a call with values from buffers gave, for each thread.
pub(crate) struct Outcome {
    pub(crate) result: Vec<Vec<Value>>,
    /// For each `InOut` parameter what it holds afterwards.
    pub(crate) stored: Vec<Vec<Vec<Value>>>,
}

/// The overloads of a name, for messages with their parameters.
pub(crate) fn overloads(space: LibraryNamespace, name: &str, types: &mut TypeStore) -> Vec<Candidate> {
    mw_msl::stdlib::candidates(space, name, types).unwrap_or_else(|| panic!("no `{name}` in {space:?}"))
}

/// How a message names an overload.
pub(crate) fn describe(candidate: &Candidate, types: &TypeStore) -> String {
    let parameters: Vec<String> =
        candidate.parameters.iter().map(|parameter| format!("{:?}", types.get(parameter.ty))).collect();
    format!("{}({})", candidate.id.row().name, parameters.join(", "))
}

/// Runs one call in `inputs[0].len()` threads: thread `t` passes `inputs[p][t]` for parameter `p`.
/// Parameters that are pointers or references to thread memory are `InOut`.
pub(crate) fn run_call(
    types: &TypeStore,
    candidate: &Candidate,
    mode: MathMode,
    inputs: &[Vec<Vec<Value>>],
    options: &LowerOptions,
) -> Outcome {
    let what = describe(candidate, types);
    let threads = inputs.first().map_or(1, Vec::len);
    let mut builder = Builder::new(types.clone());
    let mut buffers: Vec<Vec<u8>> = Vec::new();
    let make = |layout: &Layout, values: Option<&Vec<Vec<Value>>>| {
        let mut bytes = vec![0_u8; layout.size * threads];
        for (thread, value) in values.into_iter().flatten().enumerate() {
            layout.write(value, &mut bytes[thread * layout.size..]);
        }
        bytes
    };
    let is_void = matches!(types.get(candidate.result.ty), Type::Void);
    let result_layout = (!is_void).then(|| layout(types, candidate.result.ty));
    let result_buffer = result_layout.as_ref().map(|layout| {
        buffers.push(make(layout, None));
        builder.buffer(candidate.result.ty)
    });
    let roles: Vec<(TypeId, bool)> = candidate
        .parameters
        .iter()
        .map(|parameter| match types.get(parameter.ty) {
            Type::Reference { target, .. } | Type::Pointer(target) => (target.ty, true),
            _ => (parameter.ty, false),
        })
        .collect();
    let mut parameter_buffers = Vec::new();
    for (index, (ty, _)) in roles.iter().enumerate() {
        if index < inputs.len() {
            buffers.push(make(&layout(types, *ty), Some(&inputs[index])));
            parameter_buffers.push(builder.buffer(*ty));
        }
    }
    let mut arguments = Vec::new();
    let mut stores = Vec::new();
    for (index, buffer) in parameter_buffers.iter().enumerate() {
        let (ty, is_in_out) = roles[index];
        let value = builder.load_element(*buffer, ty);
        if is_in_out {
            let local = builder.local("inout", ty);
            builder.declare(local, Some(value));
            stores.push((index, *buffer, ty, local));
            let address = builder.address_of_local(local);
            arguments.push(address);
        } else {
            arguments.push(value);
        }
    }
    let call = builder.call(candidate, mode, arguments);
    if let Some(buffer) = result_buffer {
        builder.store_element(buffer, candidate.result.ty, call);
    } else {
        builder.evaluate(call);
    }
    for (_, buffer, ty, local) in &stores {
        let value = builder.local_value(*local);
        builder.store_element(*buffer, *ty, value);
    }
    let program = builder.finish();
    let kernel = prepare(&program, options, &what);
    run(&kernel, threads as u32, &mut buffers, &what);
    let read = |layout: &Layout, bytes: &[u8]| -> Vec<Vec<Value>> {
        bytes.chunks_exact(layout.size).map(|chunk| layout.read(chunk)).collect()
    };
    let first = usize::from(result_buffer.is_some());
    Outcome {
        result: result_layout.map_or_else(Vec::new, |layout| read(&layout, &buffers[0])),
        stored: stores
            .iter()
            .map(|(index, _, ty, _)| read(&layout(types, *ty), &buffers[first + index]))
            .collect(),
    }
}
