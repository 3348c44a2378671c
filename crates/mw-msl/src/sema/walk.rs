//! All names that some syntax mentions: to find packs to expand and variables to capture.

use super::lookup::segment_name;
use crate::ast::{
    Condition, Decl, DeclKind, Designator, Expr, ExprKind, FunctionBody, FunctionType, InitList, Initializer,
    NameSegment, QualifiedName, SegmentKind, Stmt, StmtKind, TemplateArgument, TemplateArgumentKind, Type,
    TypeKind, VariableDecl,
};
use crate::names::Name;

pub(crate) fn names_in_argument(argument: &TemplateArgument, names: &mut Vec<Name>) {
    match &argument.kind {
        TemplateArgumentKind::Type(ty) => names_in_type(ty, names),
        TemplateArgumentKind::Expr(expr) => names_in_expr(expr, names),
    }
}

fn segment(segment: &NameSegment, names: &mut Vec<Name>) {
    if let Some(name) = segment_name(segment) {
        names.push(name);
    }
    match &segment.kind {
        SegmentKind::Decltype(expr) => names_in_expr(expr, names),
        SegmentKind::Conversion(ty) => names_in_type(ty, names),
        _ => {}
    }
    arguments(segment.arguments.as_deref(), names);
}

fn arguments(arguments: Option<&[TemplateArgument]>, names: &mut Vec<Name>) {
    for argument in arguments.unwrap_or_default() {
        names_in_argument(argument, names);
    }
}

pub(crate) fn names_in_name(name: &QualifiedName, names: &mut Vec<Name>) {
    for qualifier in &name.qualifiers {
        segment(qualifier, names);
    }
    segment(&name.last, names);
}

pub(crate) fn names_in_type(ty: &Type, names: &mut Vec<Name>) {
    match &ty.kind {
        TypeKind::Void
        | TypeKind::Scalar(_)
        | TypeKind::Forbidden(_)
        | TypeKind::Auto
        | TypeKind::DecltypeAuto
        | TypeKind::Error => {}
        TypeKind::Decltype(expr) => names_in_expr(expr, names),
        TypeKind::Named(name) | TypeKind::Elaborated(_, name) => names_in_name(name, names),
        TypeKind::Defined(decl) => names_in_decl(decl, names),
        TypeKind::Builtin(_, args) => arguments(Some(args), names),
        TypeKind::Pointer(inner)
        | TypeKind::LvalueReference(inner)
        | TypeKind::RvalueReference(inner)
        | TypeKind::PackExpansion(inner) => names_in_type(inner, names),
        TypeKind::Array(inner, size) => {
            names_in_type(inner, names);
            if let Some(size) = size {
                names_in_expr(size, names);
            }
        }
        TypeKind::Function(function) => names_in_function(function, names),
        TypeKind::MemberPointer(inner, name) => {
            names_in_type(inner, names);
            names_in_name(name, names);
        }
    }
}

fn names_in_function(function: &FunctionType, names: &mut Vec<Name>) {
    names_in_type(&function.result, names);
    for parameter in &function.parameters.parameters {
        names_in_type(&parameter.ty, names);
        if let Some(default) = &parameter.default {
            names_in_expr(default, names);
        }
    }
}

fn list(list: &InitList, names: &mut Vec<Name>) {
    for item in &list.items {
        for designator in &item.designators {
            if let Designator::Index(index) = designator {
                names_in_expr(index, names);
            }
        }
        names_in_expr(&item.value, names);
    }
}

pub(crate) fn names_in_expr(expr: &Expr, names: &mut Vec<Name>) {
    match &expr.kind {
        ExprKind::Bool(_)
        | ExprKind::Int(..)
        | ExprKind::Float { .. }
        | ExprKind::String(_)
        | ExprKind::Null
        | ExprKind::This
        | ExprKind::Forbidden(_)
        | ExprKind::Error => {}
        ExprKind::Name(name) => names_in_name(name, names),
        ExprKind::Paren(inner)
        | ExprKind::Unary(_, inner)
        | ExprKind::SizeofExpr(inner)
        | ExprKind::PackExpansion(inner)
        | ExprKind::Noexcept(inner) => names_in_expr(inner, names),
        ExprKind::Binary(_, left, right)
        | ExprKind::Assign(_, left, right)
        | ExprKind::Comma(left, right)
        | ExprKind::Index(left, right) => {
            names_in_expr(left, names);
            names_in_expr(right, names);
        }
        ExprKind::Conditional(a, b, c) => {
            names_in_expr(a, names);
            names_in_expr(b, names);
            names_in_expr(c, names);
        }
        ExprKind::Call(callee, args) => {
            names_in_expr(callee, names);
            for arg in args {
                names_in_expr(arg, names);
            }
        }
        ExprKind::Member { object, qualifiers, name, .. } => {
            names_in_expr(object, names);
            for qualifier in qualifiers {
                segment(qualifier, names);
            }
            arguments(name.arguments.as_deref(), names);
        }
        ExprKind::Cast(_, ty, inner) => {
            names_in_type(ty, names);
            names_in_expr(inner, names);
        }
        ExprKind::Construct(ty, args) => {
            names_in_type(ty, names);
            for arg in args {
                names_in_expr(arg, names);
            }
        }
        ExprKind::ConstructBraced(ty, items) => {
            names_in_type(ty, names);
            list(items, names);
        }
        ExprKind::InitList(items) => list(items, names),
        ExprKind::SizeofType(ty) | ExprKind::AlignofType(ty) => names_in_type(ty, names),
        ExprKind::SizeofPack(name) => names.push(name.name),
        ExprKind::TypeTrait(_, args) => arguments(Some(args), names),
        ExprKind::Lambda(lambda) => {
            for capture in &lambda.captures {
                if let Some(name) = capture.name {
                    names.push(name.name);
                }
                if let Some(value) = &capture.initializer {
                    names_in_expr(value, names);
                }
            }
            names_in_function(&lambda.signature, names);
            names_in_stmt(&lambda.body, names);
        }
        ExprKind::Fold { left, right, .. } => {
            for side in [left, right].into_iter().flatten() {
                names_in_expr(side, names);
            }
        }
    }
}

fn initializer(value: Option<&Initializer>, names: &mut Vec<Name>) {
    match value {
        None => {}
        Some(Initializer::Copy(expr)) => names_in_expr(expr, names),
        Some(Initializer::Parenthesized(exprs, _)) => {
            for expr in exprs {
                names_in_expr(expr, names);
            }
        }
        Some(Initializer::Braced(items)) => list(items, names),
    }
}

fn variable(decl: &VariableDecl, names: &mut Vec<Name>) {
    names_in_type(&decl.ty, names);
    initializer(decl.initializer.as_ref(), names);
}

fn names_in_decl(decl: &Decl, names: &mut Vec<Name>) {
    match &decl.kind {
        DeclKind::TypeAlias(alias) => names_in_type(&alias.ty, names),
        DeclKind::Variables(variables) => variables.iter().for_each(|decl| variable(decl, names)),
        DeclKind::StaticAssert { condition, .. } => names_in_expr(condition, names),
        DeclKind::Record(record) | DeclKind::AnonymousRecord(record) => {
            for member in record.members.iter().flatten() {
                names_in_decl(member, names);
            }
        }
        DeclKind::Function(function) => {
            for parameter in &function.parameters.parameters {
                names_in_type(&parameter.ty, names);
            }
            if let FunctionBody::Block(body) = &function.body {
                names_in_stmt(body, names);
            }
        }
        DeclKind::Template(template) => names_in_decl(&template.decl, names),
        _ => {}
    }
}

fn condition(value: &Condition, names: &mut Vec<Name>) {
    match value {
        Condition::Expr(expr) => names_in_expr(expr, names),
        Condition::Variable(decl) => variable(decl, names),
    }
}

pub(crate) fn names_in_stmt(stmt: &Stmt, names: &mut Vec<Name>) {
    match &stmt.kind {
        StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| names_in_stmt(stmt, names)),
        StmtKind::Decl(decl) => names_in_decl(decl, names),
        StmtKind::Expr(expr) => names_in_expr(expr, names),
        StmtKind::Empty
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Goto(_)
        | StmtKind::Pragma(_)
        | StmtKind::Error => {}
        StmtKind::If { initializer, condition: test, then, otherwise, .. } => {
            if let Some(stmt) = initializer {
                names_in_stmt(stmt, names);
            }
            condition(test, names);
            names_in_stmt(then, names);
            if let Some(stmt) = otherwise {
                names_in_stmt(stmt, names);
            }
        }
        StmtKind::While { condition: test, body, .. } => {
            condition(test, names);
            names_in_stmt(body, names);
        }
        StmtKind::DoWhile { body, condition: test, .. } => {
            names_in_stmt(body, names);
            names_in_expr(test, names);
        }
        StmtKind::For { initializer, condition: test, step, body, .. } => {
            if let Some(stmt) = initializer {
                names_in_stmt(stmt, names);
            }
            if let Some(test) = test {
                condition(test, names);
            }
            if let Some(step) = step {
                names_in_expr(step, names);
            }
            names_in_stmt(body, names);
        }
        StmtKind::RangeFor { variable: decl, range, body, .. } => {
            variable(decl, names);
            names_in_expr(range, names);
            names_in_stmt(body, names);
        }
        StmtKind::Switch { initializer, condition: test, body } => {
            if let Some(stmt) = initializer {
                names_in_stmt(stmt, names);
            }
            condition(test, names);
            names_in_stmt(body, names);
        }
        StmtKind::Case { value, range_end, body } => {
            names_in_expr(value, names);
            if let Some(end) = range_end {
                names_in_expr(end, names);
            }
            names_in_stmt(body, names);
        }
        StmtKind::Default(body) | StmtKind::Label(_, body) => names_in_stmt(body, names),
        StmtKind::Return(value) => {
            if let Some(value) = value {
                names_in_expr(value, names);
            }
        }
    }
}
