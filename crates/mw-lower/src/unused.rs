//! Which parameters a function does not use, not even through the functions that it hands them to.

use mw_msl::hir::{
    Block, Expr, ExprKind, FunctionId, LocalId, Place, PlaceKind, Program, StmtKind, SwitchCase,
};
use rustc_hash::FxHashMap;

/// For each parameter whether nothing comes of it.
pub(crate) fn unused_parameters(program: &Program, function: FunctionId) -> Vec<bool> {
    let mut search = Search { program, known: FxHashMap::default() };
    search.function(function, 0).into_iter().map(|used| !used).collect()
}

/// Calls are followed this deep; beyond it everything counts as used.
const MAX_DEPTH: usize = 24;

struct Search<'p> {
    program: &'p Program,
    known: FxHashMap<FunctionId, Vec<bool>>,
}

impl Search<'_> {
    fn function(&mut self, id: FunctionId, depth: usize) -> Vec<bool> {
        let data = self.program.function(id);
        let count = data.parameters as usize;
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let Some(body) = data.body.as_ref().filter(|_| depth < MAX_DEPTH) else { return vec![true; count] };
        // A function that calls itself uses what it gets.
        self.known.insert(id, vec![true; count]);
        let mut walk = Walk { used: vec![false; count], calls: Vec::new() };
        walk.block(body);
        let Walk { mut used, calls } = walk;
        for (callee, position, local) in calls {
            if !used[local] {
                let inner = self.function(callee, depth + 1);
                used[local] |= inner.get(position).copied().unwrap_or(true);
            }
        }
        self.known.insert(id, used.clone());
        used
    }
}

struct Walk {
    used: Vec<bool>,
    /// Parameters that are handed on as they are: callee, position, parameter.
    calls: Vec<(FunctionId, usize, usize)>,
}

impl Walk {
    fn local(&mut self, local: LocalId) {
        if let Some(used) = self.used.get_mut(local.0 as usize) {
            *used = true;
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Expr(expr) | StmtKind::Let(_, Some(expr)) | StmtKind::Return(Some(expr)) => {
                    self.expr(expr);
                }
                StmtKind::Let(_, None) | StmtKind::Break | StmtKind::Continue | StmtKind::Return(None) => {}
                StmtKind::Block(block) => self.block(block),
                StmtKind::If { condition, then, otherwise } => {
                    self.expr(condition);
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::Loop { before_condition, condition, step, body, .. } => {
                    self.block(before_condition);
                    condition.iter().chain(step).for_each(|expr| self.expr(expr));
                    self.block(body);
                }
                StmtKind::DoWhile { body, condition, .. } => {
                    self.block(body);
                    self.expr(condition);
                }
                StmtKind::Switch { value, cases } => {
                    self.expr(value);
                    for SwitchCase { body, .. } in cases {
                        self.block(body);
                    }
                }
            }
        }
    }

    fn arguments(&mut self, callee: FunctionId, offset: usize, arguments: &[Expr]) {
        for (index, argument) in arguments.iter().enumerate() {
            match &argument.kind {
                ExprKind::Load(place) => match &place.kind {
                    PlaceKind::Local(local) if (local.0 as usize) < self.used.len() => {
                        self.calls.push((callee, index + offset, local.0 as usize));
                    }
                    _ => self.place(place),
                },
                _ => self.expr(argument),
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Constant(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::IsFunctionConstantDefined(_)
            | ExprKind::Error => {}
            ExprKind::Load(place) | ExprKind::AddressOf(place) => self.place(place),
            ExprKind::Cast(mw_msl::hir::Cast::ToVoid, inner) if matches!(&inner.kind, ExprKind::Load(place) if matches!(place.kind, PlaceKind::Local(_))) =>
                {}
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
                list.iter().for_each(|expr| self.expr(expr));
            }
            ExprKind::Construct { constructor, arguments } => self.arguments(*constructor, 1, arguments),
            ExprKind::Call { function, arguments } => self.arguments(*function, 0, arguments),
            ExprKind::CallPointer { pointer, arguments } => {
                self.expr(pointer);
                arguments.iter().for_each(|expr| self.expr(expr));
            }
            ExprKind::Builtin(call) => call.arguments.iter().for_each(|expr| self.expr(expr)),
        }
    }

    fn place(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Local(local) => self.local(*local),
            PlaceKind::Global(_) => {}
            PlaceKind::Deref(pointer) => self.expr(pointer),
            PlaceKind::Field(base, _) | PlaceKind::Swizzle(base, _) | PlaceKind::ThreadElements(base) => {
                self.place(base);
            }
            PlaceKind::Index(base, index) => {
                self.place(base);
                self.expr(index);
            }
            PlaceKind::Temporary(_, value) => self.expr(value),
        }
    }
}
