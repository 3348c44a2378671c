//! Variables of functions.

use super::function::contains_auto;
use super::lookup::segment_name;
use super::scope::{Entry, Key, LocalEntry};
use super::{R, Sema};
use crate::ast::{self, DeclKind, VariableDecl};
use crate::hir::{Block, Expr, Place, PlaceKind, Stmt, StmtKind};
use crate::types::{AddressSpace, QualType, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;
use std::rc::Rc;

impl<'a> Sema<'a> {
    pub(crate) fn local_decl(&mut self, decl: &'a ast::Decl, out: &mut Block) {
        match &decl.kind {
            DeclKind::Variables(variables) => {
                for variable in variables {
                    if self.local_variable(variable, out).is_err()
                        && let Some(name) = variable.name.as_ref().and_then(|name| segment_name(&name.last))
                        && self.scopes[self.scope.0 as usize].get(Key::Name(name)).is_none()
                    {
                        // It is known by name, so that its uses give no further errors.
                        self.bind(self.scope, Key::Name(name), Entry::Error);
                    }
                }
            }
            DeclKind::Function(function) => {
                // A function declared in a block names one of the namespace.
                let scope = self.scope;
                if let Some(key) = super::lookup::segment_key(&function.name.last) {
                    let namespace = self.enclosing_namespace(scope).unwrap_or(scope);
                    if self.scopes[namespace.0 as usize].get(key).is_none() {
                        let _ = self.within(namespace, |s| s.declare_function(function, None));
                    }
                }
            }
            DeclKind::Template(template) => {
                let _ = self.declare_template(template);
            }
            DeclKind::Record(_) | DeclKind::AnonymousRecord(_) => {
                if let DeclKind::Record(record) | DeclKind::AnonymousRecord(record) = &decl.kind {
                    let _ = self.declare_record(record);
                }
            }
            _ => {
                let _ = self.declare_common(decl);
            }
        }
    }

    /// Makes a local and binds its name.
    pub(crate) fn bind_local(
        &mut self,
        name: Option<crate::names::Name>,
        ty: QualType,
        span: Span,
    ) -> crate::hir::LocalId {
        let text = name.map_or("", |name| self.text(name));
        let hir_type = self.hir_type(ty);
        let local = self.new_local(text, hir_type, span);
        if let Some(name) = name {
            self.check_not_redeclared(name, span);
            let entry = Entry::Local(LocalEntry { frame: self.frame.id, local, ty });
            self.bind(self.scope, Key::Name(name), entry);
        }
        local
    }

    /// One scope holds a name once; an inner scope may hide an outer name.
    fn check_not_redeclared(&mut self, name: crate::names::Name, span: Span) {
        let frame = self.frame.id;
        let Some((Entry::Local(known), _)) = self.scopes[self.scope.0 as usize].get(Key::Name(name)) else {
            return;
        };
        if known.frame != frame {
            return;
        }
        let first = self.frame.locals[known.local.0 as usize].span;
        let text = self.text(name);
        self.report(
            Diagnostic::new(&codes::REDEFINED, span, format!("`{text}` is declared twice in this scope"))
                .with_label(first, "first declared here")
                .help("give it another name, or assign to the first"),
        );
    }

    pub(crate) fn local_variable(&mut self, decl: &'a VariableDecl, out: &mut Block) -> R<()> {
        let span = decl.span;
        let name = decl.name.as_ref().and_then(|name| segment_name(&name.last));
        if !decl.bindings.is_empty() {
            return self.structured(decl, out);
        }
        if decl.specifiers.is_extern {
            return self.error(&codes::INVALID_DECLARATION, span, "a local variable cannot be `extern`");
        }
        let written_space =
            decl.ty.qualifiers.space.map(|(space, _)| space).or_else(|| element_space(&decl.ty));
        if decl.specifiers.is_static || written_space == Some(AddressSpace::Constant) {
            return self.declare_local_static(decl, None);
        }
        let is_auto = contains_auto(&decl.ty);
        if !is_auto {
            let ty = match self.placeholder_class(&decl.ty, decl.initializer.as_ref()) {
                Some(ty) => ty,
                None => self.resolve(&decl.ty)?,
            };
            match ty.space {
                AddressSpace::Threadgroup => return self.declare_local_static(decl, Some(ty)),
                AddressSpace::Constant => return self.declare_local_static(decl, None),
                AddressSpace::Thread => {}
                space => {
                    // A parameter's space came along with its type: the variable is the thread's own.
                    if decl.ty.qualifiers.space.is_some() {
                        return self.fail(|_| {
                            Diagnostic::new(&codes::INVALID_DECLARATION, span, format!("a local variable cannot live in `{}` memory", space.name()))
                                .note("locals live in `thread` memory, or are `threadgroup` or `constant` (MSL specification, \"Address Spaces\")")
                                .help("declare a pointer to it, or drop the address space")
                        });
                    }
                }
            }
            let ty = QualType { space: AddressSpace::Thread, ..ty };
            self.require_complete(ty.ty, span)?;
            if let Type::SimdgroupMatrix { element, columns, rows } = *self.ty(ty.ty)
                && !element.is_float()
            {
                return self.fail(|_| {
                    Diagnostic::new(
                        &codes::INVALID_TYPE,
                        decl.ty.span,
                        format!("Metal has no simdgroup matrix of {columns} by {rows} `{}`", element.name()),
                    )
                    .note("simdgroup matrices are 8 by 8, of `half`, `bfloat` or `float` (MSL specification, \"SIMD-group Matrix Data Types\")")
                });
            }
            if let Type::Void | Type::Function { .. } = self.ty(ty.ty) {
                return self.fail(|s| {
                    let shown = s.show(ty);
                    Diagnostic::new(
                        &codes::INVALID_TYPE,
                        span,
                        format!("a variable cannot have type `{shown}`"),
                    )
                });
            }
            let before = self.diagnostics.len();
            let result = self.initial_value(ty, decl.initializer.as_ref(), span);
            let (ty, value) = match result {
                Ok(found) => found,
                Err(failed) => {
                    // Its type is known all the same, unless it may be what is wrong.
                    let is_doubtful = self.diagnostics[before..].iter().any(|found| {
                        [&codes::NO_CONVERSION, &codes::ADDRESS_SPACE_MISMATCH].contains(&found.code)
                    });
                    if !is_doubtful && !matches!(self.ty(ty.ty), Type::UnsizedArray(_)) {
                        self.bind_local(name, ty, span);
                    }
                    return Err(failed);
                }
            };
            if let Type::UnsizedArray(_) = self.ty(ty.ty) {
                return self.error(&codes::INVALID_ARRAY, span, "the size of this array is not known");
            }
            return self.finish_local(decl, name, ty, value, out);
        }
        let (ty, value) = self.auto_value(&decl.ty, decl.initializer.as_ref(), span)?;
        self.finish_local(decl, name, ty, value, out)
    }

    fn finish_local(
        &mut self,
        decl: &'a VariableDecl,
        name: Option<crate::names::Name>,
        ty: QualType,
        value: Option<Expr>,
        out: &mut Block,
    ) -> R<()> {
        let span = decl.span;
        let is_constexpr = decl.specifiers.is_constexpr;
        let ty = QualType { is_const: ty.is_const || is_constexpr, ..ty };
        let mut constant = None;
        if let Some(value) = &value {
            if is_constexpr {
                constant = Some(self.evaluate(value, span)?);
            } else if ty.is_const
                && matches!(self.ty(ty.ty), Type::Scalar(_) | Type::Enum(_))
                && !ty.is_volatile
            {
                constant = self.quietly(|s| s.evaluate(value, span)).ok();
            }
        } else if is_constexpr {
            return self.error(&codes::NOT_CONSTANT, span, "a `constexpr` variable needs a value");
        }
        let local = self.bind_local(name, ty, span);
        let align =
            self.declared_alignment(decl, QualType::plain(self.frame.locals[local.0 as usize].ty.ty))?;
        self.frame.locals[local.0 as usize].align_bytes = align;
        if let Some(constant) = constant
            && !matches!(self.ty(ty.ty), Type::Reference { .. })
        {
            self.constants.insert((self.frame.id, local), Rc::new(constant));
        }
        out.push(Stmt { kind: StmtKind::Let(local, value), span });
        Ok(())
    }

    /// `auto [a, b] = e;`
    fn structured(&mut self, decl: &'a VariableDecl, out: &mut Block) -> R<()> {
        let span = decl.span;
        let (ty, value) = match &decl.initializer {
            Some(ast::Initializer::Copy(expr)) => {
                let value = self.expr(expr)?;
                if let (Some(actual), ast::TypeKind::Auto) = (value.ty(), &decl.ty.kind)
                    && let Type::Array(..) = self.ty(actual.ty)
                {
                    let place = self.place_of(value, span)?;
                    let loaded = self.load(place);
                    (QualType::plain(actual.ty), Some(loaded))
                } else {
                    let ty = self.deduce_auto(&decl.ty, &value, span)?;
                    let value = self.convert(value, ty, span)?;
                    (ty, Some(value))
                }
            }
            initializer => self.auto_value(&decl.ty, initializer.as_ref(), span)?,
        };
        let local = self.bind_local(None, ty, span);
        out.push(Stmt { kind: StmtKind::Let(local, value), span });
        let place = self.local_place(local, span);
        let place = self.through_reference(place, ty, span);
        self.bind_structured(decl, place, out)
    }

    pub(crate) fn bind_structured(&mut self, decl: &'a VariableDecl, place: Place, out: &mut Block) -> R<()> {
        let span = decl.span;
        let parts: Vec<Place> = match self.ty(place.ty.ty).clone() {
            Type::Array(element, count) => (0..count)
                .map(|at| {
                    let index = self.int_value(i128::from(at), self.t.long, span);
                    Place {
                        kind: PlaceKind::Index(Box::new(place.clone()), Box::new(index)),
                        ty: QualType { ty: element, ..place.ty },
                        span,
                    }
                })
                .collect(),
            Type::Vector(element, len) => {
                let element = self.scalar(element);
                (0..len)
                    .map(|at| {
                        let index = self.int_value(i128::from(at), self.t.long, span);
                        Place {
                            kind: PlaceKind::Index(Box::new(place.clone()), Box::new(index)),
                            ty: QualType { ty: element, ..place.ty },
                            span,
                        }
                    })
                    .collect()
            }
            Type::Record(record) => {
                self.complete(record)?;
                let count = self.records[record.0 as usize].fields.len();
                (0..count).map(|at| self.field_place(place.clone(), &[at as u32])).collect()
            }
            _ => Vec::new(),
        };
        if parts.len() != decl.bindings.len() {
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::INVALID_DECLARATION,
                    span,
                    format!("{} names for an object with {} parts", decl.bindings.len(), parts.len()),
                )
            });
        }
        // Each name is a reference to its part, so that lambdas can take it like a variable.
        for (binding, part) in decl.bindings.iter().zip(parts) {
            let ty = self.reference_to(part.ty, false);
            let local = self.bind_local(Some(binding.name), ty, binding.span);
            let address = self.address(part);
            out.push(Stmt { kind: StmtKind::Let(local, Some(address)), span });
        }
        Ok(())
    }
}

/// The address space of an array's elements.
fn element_space(ty: &ast::Type) -> Option<AddressSpace> {
    match &ty.kind {
        ast::TypeKind::Array(inner, _) => {
            inner.qualifiers.space.map(|(space, _)| space).or_else(|| element_space(inner))
        }
        _ => None,
    }
}
