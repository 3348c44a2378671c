//! Initialisation: default, direct, from lists, and what constructors do first.

use super::braces::fill_zero;
use super::lookup::segment_name;
use super::scope::{Entry, Key};
use super::{R, Sema};
use crate::ast::{self, ExprKind as Ast, FunctionDecl, Initializer, TypeKind};
use crate::hir::{Constant, Expr, ExprKind, Place, PlaceKind, Stmt, StmtKind};
use crate::types::{QualType, RecordId, Scalar, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// The first value of a variable or member, and its type if an initialiser completes it.
    pub(crate) fn initial_value(
        &mut self,
        ty: QualType,
        initializer: Option<&'a Initializer>,
        span: Span,
    ) -> R<(QualType, Option<Expr>)> {
        match initializer {
            None => {
                if let Type::Reference { .. } = self.ty(ty.ty) {
                    return self.error(
                        &codes::INVALID_DECLARATION,
                        span,
                        "a reference must be bound where it is declared",
                    );
                }
                Ok((ty, self.default_init(ty, span)?))
            }
            Some(Initializer::Copy(expr)) => match &expr.kind {
                Ast::InitList(list) => {
                    let ty = self.sized(ty, list)?;
                    Ok((ty, Some(self.initialize_from_list(list, ty, expr.span)?)))
                }
                Ast::String(text) => {
                    if let Type::UnsizedArray(element) | Type::Array(element, _) = *self.ty(ty.ty)
                        && element == self.t.char
                    {
                        let mut bytes: Vec<Constant> =
                            text.bytes().map(|b| Constant::Int(i128::from(b as i8))).collect();
                        bytes.push(Constant::Int(0));
                        let count = match *self.ty(ty.ty) {
                            Type::Array(_, count) => count,
                            _ => bytes.len() as u64,
                        };
                        let array = self.intern(Type::Array(element, count));
                        let value = self.constant(array, Constant::Aggregate(bytes), span);
                        return Ok((QualType { ty: array, ..ty }, Some(value)));
                    }
                    let value = self.expr(expr)?;
                    Ok((ty, Some(self.convert(value, ty, expr.span)?)))
                }
                _ => {
                    let value = self.expr(expr)?;
                    Ok((ty, Some(self.convert(value, ty, expr.span)?)))
                }
            },
            Some(Initializer::Parenthesized(args, at)) => {
                if let [only] = args.as_slice()
                    && let Type::Reference { .. } = self.ty(ty.ty)
                {
                    let value = self.expr(only)?;
                    return Ok((ty, Some(self.convert(value, ty, only.span)?)));
                }
                let args = self.expand_args(args)?;
                let value = self.construct_type(ty, args, *at)?;
                let value = self.convert(value, QualType::plain(ty.ty), *at)?;
                Ok((ty, Some(value)))
            }
            Some(Initializer::Braced(list)) => {
                let ty = self.sized(ty, list)?;
                Ok((ty, Some(self.initialize_from_list(list, ty, span)?)))
            }
        }
    }

    /// What an object holds when nothing is said: none if it is not initialised.
    pub(crate) fn default_init(&mut self, ty: QualType, span: Span) -> R<Option<Expr>> {
        match *self.ty(ty.ty) {
            Type::Record(record) => {
                self.require_complete(ty.ty, span)?;
                let info = &self.records[record.0 as usize];
                if !info.constructors.is_empty() {
                    let has_default = info.decl.is_some_and(declares_default);
                    if let Ok(instance) =
                        self.quietly(|s| s.choose_constructor(record, &[], true, true, Span::default()))
                    {
                        return self.construct(record, instance, Vec::new(), span).map(Some);
                    }
                    if !has_default {
                        return self.fail(|s| {
                            let name = s.program.record(record).name.clone();
                            Diagnostic::new(
                                &codes::NO_MATCHING_FUNCTION,
                                span,
                                format!("`{name}` has no constructor without arguments"),
                            )
                            .help("give arguments for one of its constructors")
                        });
                    }
                }
                if !self.records[record.0 as usize].needs_init {
                    return Ok(None);
                }
                if self.program.record(record).is_union {
                    return Ok(None);
                }
                self.member_defaults(record, span).map(Some)
            }
            Type::Array(element, count) if self.type_needs_init(element) => {
                let Some(value) = self.default_init(QualType::plain(element), span)? else { return Ok(None) };
                if count > 65_536 {
                    return self.error(
                        &codes::INVALID_ARRAY,
                        span,
                        "this array has too many objects to initialise",
                    );
                }
                let values = vec![value; count as usize];
                Ok(Some(Expr { kind: ExprKind::Aggregate(values), ty: ty.ty, span }))
            }
            _ => Ok(None),
        }
    }

    /// Each member from its own initialiser.
    fn member_defaults(&mut self, record: RecordId, span: Span) -> R<Expr> {
        let fields = self.records[record.0 as usize].fields.clone();
        let ty = self.record_type(record);
        self.with_object(ty, span, |s| {
            let mut values = Vec::with_capacity(fields.len());
            for (at, field) in fields.iter().enumerate() {
                let value = s.field_default(record, at, span)?;
                let ty = s.hir_type(field.ty).ty;
                values.push(value.unwrap_or_else(|| s.constant(ty, Constant::Undefined, span)));
            }
            Ok(values)
        })
    }

    /// Checks members' own initialisers, which may name members that come before them.
    pub(crate) fn with_object(
        &mut self,
        ty: QualType,
        span: Span,
        make: impl FnOnce(&mut Self) -> R<Vec<Expr>>,
    ) -> R<Expr> {
        let local = self.new_local("", ty, span);
        let place = self.local_place(local, span);
        let outer = self.frame.object.replace((place.clone(), false));
        let values = make(self);
        let used = self.frame.object.take().is_some_and(|(_, used)| used);
        self.frame.object = outer;
        let values = values?;
        if !used {
            return Ok(Expr { kind: ExprKind::Aggregate(values), ty: ty.ty, span });
        }
        // The object is made in a temporary, member by member.
        let mut then = self.load(place.clone());
        for (at, value) in values.into_iter().enumerate().rev() {
            if matches!(value.kind, ExprKind::Constant(Constant::Undefined)) {
                continue;
            }
            let field = Place {
                kind: PlaceKind::Field(Box::new(place.clone()), at as u32),
                ty: QualType::plain(value.ty),
                span,
            };
            let assign =
                Expr { kind: ExprKind::Assign(Box::new(field), Box::new(value)), ty: self.t.void, span };
            then = self.sequence(assign, then);
        }
        let value = self.constant(ty.ty, Constant::Undefined, span);
        Ok(Expr {
            kind: ExprKind::LetTemporary { local, value: Box::new(value), then: Box::new(then) },
            ty: ty.ty,
            span,
        })
    }

    /// The value that a member has by itself.
    pub(crate) fn field_default(&mut self, record: RecordId, at: usize, span: Span) -> R<Option<Expr>> {
        let field = self.records[record.0 as usize].fields[at];
        match field.initializer {
            Some(initializer) => {
                let scope = self.records[record.0 as usize].scope;
                self.within(scope, |s| s.initial_value(field.ty, Some(initializer), span))
                    .map(|(_, value)| value)
            }
            None => self.default_init(QualType::plain(field.ty.ty), span),
        }
    }

    /// `T()`, `T{}`: zero unless the class says otherwise.
    pub(crate) fn value_init(&mut self, ty: QualType, span: Span) -> R<Expr> {
        if let Type::Record(_) | Type::Array(..) = self.ty(ty.ty) {
            self.require_complete(ty.ty, span)?;
            if self.type_needs_init(ty.ty)
                && let Some(value) = self.default_init(ty, span)?
            {
                return Ok(fill_zero(value));
            }
            if let Type::Record(record) = *self.ty(ty.ty)
                && !self.records[record.0 as usize].constructors.is_empty()
            {
                // Reports that there is no constructor without arguments.
                self.default_init(ty, span)?;
            }
            return Ok(self.constant(ty.ty, Constant::Zero, span));
        }
        let constant = match self.ty(ty.ty) {
            Type::Scalar(Scalar::Bool) => Constant::Bool(false),
            Type::Scalar(scalar) if scalar.is_float() => Constant::Float(0.0),
            Type::Scalar(_) | Type::Enum(_) => Constant::Int(0),
            _ => Constant::Zero,
        };
        Ok(self.constant(ty.ty, constant, span))
    }

    /// What a constructor does before its body.
    pub(crate) fn member_initializers(
        &mut self,
        decl: &'a FunctionDecl,
        this: Option<QualType>,
        out: &mut Vec<Stmt>,
    ) {
        let Some(this) = this else { return };
        let Type::Record(record) = *self.ty(this.ty) else { return };
        let Ok(object) = self.this_place(decl.span) else { return };
        let object = Place { ty: QualType { is_const: false, ..object.ty }, ..object };
        let fields = self.records[record.0 as usize].fields.clone();
        let bases = self.records[record.0 as usize].bases.clone();
        let mut given: Vec<Option<&'a ast::MemberInitializer>> = vec![None; fields.len()];
        for initializer in &decl.member_initializers {
            match self.initialized_member(record, &bases, &initializer.target) {
                Ok(Some(at)) => given[at] = Some(initializer),
                Ok(None) => {
                    // Another constructor of the class does it all.
                    if let Ok((_, Some(value))) = self.initial_value(
                        QualType::plain(this.ty),
                        Some(&initializer.value),
                        initializer.span,
                    ) {
                        let assign = Expr {
                            kind: ExprKind::Assign(Box::new(object.clone()), Box::new(value)),
                            ty: self.t.void,
                            span: initializer.span,
                        };
                        out.push(Stmt { kind: StmtKind::Expr(assign), span: initializer.span });
                    }
                    return;
                }
                Err(_) => {}
            }
        }
        let is_union = self.program.record(record).is_union;
        for at in 0..fields.len() {
            let field = fields[at];
            let span = given[at].map_or(decl.span, |initializer| initializer.span);
            let value = match given[at] {
                Some(initializer) => {
                    let is_empty = match &initializer.value {
                        Initializer::Parenthesized(args, _) => args.is_empty(),
                        Initializer::Braced(list) => list.items.is_empty(),
                        Initializer::Copy(_) => false,
                    };
                    if is_empty && !matches!(self.ty(field.ty.ty), Type::Reference { .. }) {
                        self.value_init(QualType::plain(field.ty.ty), span).map(Some)
                    } else {
                        self.initial_value(
                            QualType { is_const: false, ..field.ty },
                            Some(&initializer.value),
                            span,
                        )
                        .map(|(_, value)| value)
                    }
                }
                None if is_union => continue,
                None if matches!(self.ty(field.ty.ty), Type::Reference { .. }) => continue,
                None => self.field_default(record, at, span),
            };
            let Ok(Some(value)) = value else { continue };
            let ty = self.hir_type(field.ty);
            let place = Place {
                kind: PlaceKind::Field(Box::new(object.clone()), at as u32),
                ty: QualType { ty: ty.ty, space: object.ty.space, ..QualType::plain(ty.ty) },
                span,
            };
            let assign =
                Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty: self.t.void, span };
            out.push(Stmt { kind: StmtKind::Expr(assign), span });
        }
    }

    /// The field or base that a constructor's list names; none for the class itself.
    fn initialized_member(
        &mut self,
        record: RecordId,
        bases: &[RecordId],
        target: &'a ast::Type,
    ) -> R<Option<usize>> {
        if let TypeKind::Named(name) = &target.kind
            && name.qualifiers.is_empty()
            && name.last.arguments.is_none()
            && let Some(last) = segment_name(&name.last)
        {
            let scope = self.records[record.0 as usize].scope;
            if let Some((Entry::Field(path), _)) = self.scopes[scope.0 as usize].get(Key::Name(last)) {
                if let [only] = **path {
                    return Ok(Some(only as usize));
                }
                return self.error(
                    &codes::UNSUPPORTED,
                    target.span,
                    "members of anonymous structs cannot be initialised here",
                );
            }
        }
        let ty = self.resolve(target)?;
        if let Type::Record(other) = *self.ty(ty.ty) {
            if other == record {
                return Ok(None);
            }
            if let Some(at) = bases.iter().position(|base| *base == other) {
                return Ok(Some(at));
            }
        }
        self.fail(|s| {
            let name = s.program.record(record).name.clone();
            Diagnostic::new(&codes::NO_MEMBER, target.span, format!("this is no member or base of `{name}`"))
        })
    }
}

/// Does a class say `S() = default`?
fn declares_default(decl: &ast::RecordDecl) -> bool {
    decl.members.iter().flatten().any(|member| match &member.kind {
        ast::DeclKind::Function(function) => {
            function.kind == ast::FunctionKind::Constructor
                && function.parameters.parameters.is_empty()
                && matches!(function.body, ast::FunctionBody::Default)
        }
        _ => false,
    })
}
