//! Which locals need an address.
//!
//! A local that is initialised once and then only read stays a value; so do components that are read out of
//! a vector. Everything else becomes memory in the entry block, which LLVM's clean-up turns into values
//! where it can.

use mw_msl::hir::{
    Block, Expr, ExprKind, Function, GlobalId, LocalId, Place, PlaceKind, Program, StmtKind, SwitchCase,
};
use mw_msl::types::Type;

use crate::types::is_aggregate;

/// For each local whether it lives in memory.
pub(crate) fn needs_memory(program: &Program, function: &Function) -> Vec<bool> {
    let mut usage = Usage {
        program,
        memory: function.locals.iter().map(|local| is_aggregate(program, local.ty.ty)).collect(),
        globals: Vec::new(),
    };
    if let Some(body) = &function.body {
        usage.block(body);
    }
    usage.memory
}

/// The same for an initialiser outside of functions.
pub(crate) fn expression_needs_memory(program: &Program, expr: &Expr, locals: usize) -> Vec<bool> {
    let mut usage = Usage { program, memory: vec![false; locals], globals: Vec::new() };
    usage.expr(expr);
    usage.memory
}

/// The globals that an initialiser names.
pub(crate) fn globals_in(program: &Program, expr: &Expr) -> Vec<GlobalId> {
    let mut usage = Usage { program, memory: Vec::new(), globals: Vec::new() };
    usage.expr(expr);
    usage.globals
}

struct Usage<'p> {
    program: &'p Program,
    memory: Vec<bool>,
    globals: Vec<GlobalId>,
}

impl Usage<'_> {
    fn mark(&mut self, local: LocalId) {
        if let Some(flag) = self.memory.get_mut(local.0 as usize) {
            *flag = true;
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Expr(expr) => self.expr(expr),
                StmtKind::Let(local, value) => match value {
                    Some(value) => self.expr(value),
                    // What comes to life undefined is assigned later.
                    None => self.mark(*local),
                },
                StmtKind::Block(block) => self.block(block),
                StmtKind::If { condition, then, otherwise } => {
                    self.expr(condition);
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::Loop { before_condition, condition, step, body, .. } => {
                    self.block(before_condition);
                    for expr in condition.iter().chain(step) {
                        self.expr(expr);
                    }
                    self.block(body);
                }
                StmtKind::DoWhile { body, condition, .. } => {
                    self.block(body);
                    self.expr(condition);
                }
                StmtKind::Switch { value, cases } => {
                    self.expr(value);
                    for SwitchCase { body, .. } in cases {
                        // A variable of one case may be in sight of the next without having been initialised.
                        for stmt in body {
                            if let StmtKind::Let(local, _) = &stmt.kind {
                                self.mark(*local);
                            }
                        }
                        self.block(body);
                    }
                }
                StmtKind::Return(value) => {
                    if let Some(value) = value {
                        self.expr(value);
                    }
                }
                StmtKind::Break | StmtKind::Continue => {}
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Constant(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::IsFunctionConstantDefined(_)
            | ExprKind::Error => {}
            ExprKind::Load(place) => self.read(place),
            ExprKind::AddressOf(place) => self.place(place),
            ExprKind::Negate(value, _)
            | ExprKind::Not(value)
            | ExprKind::Complement(value)
            | ExprKind::Cast(_, value)
            | ExprKind::Splat(value)
            | ExprKind::Swizzle(value, _)
            | ExprKind::MatrixDiagonal(value)
            | ExprKind::UnionField(_, value) => self.expr(value),
            ExprKind::Binary(_, first, second, _)
            | ExprKind::PointerOffset { pointer: first, offset: second, .. }
            | ExprKind::PointerDifference(first, second)
            | ExprKind::Sequence(first, second)
            | ExprKind::Extract(first, second) => {
                self.expr(first);
                self.expr(second);
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.expr(condition);
                self.expr(then);
                self.expr(otherwise);
            }
            ExprKind::Assign(place, value) => {
                self.place(place);
                self.expr(value);
            }
            ExprKind::LetPointer { place, then, .. } => {
                self.place(place);
                self.expr(then);
            }
            ExprKind::LetTemporary { value, then, .. } => {
                self.expr(value);
                self.expr(then);
            }
            ExprKind::Vector(list) | ExprKind::MatrixColumns(list) | ExprKind::Aggregate(list) => {
                for expr in list {
                    self.expr(expr);
                }
            }
            ExprKind::Construct { arguments, .. } | ExprKind::Call { arguments, .. } => {
                for expr in arguments {
                    self.expr(expr);
                }
            }
            ExprKind::CallPointer { pointer, arguments } => {
                self.expr(pointer);
                for expr in arguments {
                    self.expr(expr);
                }
            }
            ExprKind::Builtin(call) => {
                for expr in &call.arguments {
                    self.expr(expr);
                }
            }
        }
    }

    /// A place that is read: components of a local vector come out of its value.
    fn read(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Local(_) => {}
            PlaceKind::Index(base, index) => {
                self.expr(index);
                match self.program.ty(base.ty.ty) {
                    Type::Vector(..) | Type::PackedVector(..) => self.read(base),
                    _ => self.place(base),
                }
            }
            PlaceKind::Swizzle(base, _) => self.read(base),
            _ => self.place(place),
        }
    }

    /// A place whose address is needed.
    fn place(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Local(local) => self.mark(*local),
            PlaceKind::Global(global) => self.globals.push(*global),
            PlaceKind::Deref(pointer) => self.expr(pointer),
            PlaceKind::Field(base, _) | PlaceKind::Swizzle(base, _) | PlaceKind::ThreadElements(base) => {
                self.place(base);
            }
            PlaceKind::Index(base, index) => {
                self.place(base);
                self.expr(index);
            }
            PlaceKind::Temporary(local, value) => {
                self.mark(*local);
                self.expr(value);
            }
        }
    }
}
