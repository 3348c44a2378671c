//! Variables with static storage: at program scope, in classes, `static` and `threadgroup` ones in functions.

use super::function::contains_auto;
use super::lookup::segment_name;
use super::scope::{Entry, Key, ReadyVariable, VarId, VariableState};
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{Attribute, Initializer, VariableDecl};
use crate::hir::{Constant, Expr, ExprKind, Global, GlobalId, GlobalKind, Place, PlaceKind};
use crate::types::{AddressSpace, QualType, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;
use std::rc::Rc;

impl<'a> Sema<'a> {
    /// Declares a variable of a namespace.
    pub(crate) fn declare_static(&mut self, decl: &'a VariableDecl) -> R<()> {
        if !decl.bindings.is_empty() {
            return self.error(
                &codes::INVALID_DECLARATION,
                decl.span,
                "structured bindings stand in functions only",
            );
        }
        let Some(name) = &decl.name else { return Ok(()) };
        let Some(last) = segment_name(&name.last) else { return Err(Failed) };
        if !name.qualifiers.is_empty() {
            // `constant T S::x = …;`
            if let Some(super::lookup::Qualifier::Record(record)) = self.qualifier(name)?
                && let Some(Entry::Variable(id)) = self.member(record, Key::Name(last))
            {
                self.variables[id.0 as usize].definition = Some(decl);
            }
            return Ok(());
        }
        if decl.specifiers.is_extern && decl.initializer.is_none() {
            let id = self.new_variable(decl, self.scope, None);
            self.bind(self.scope, Key::Name(last), Entry::Variable(id));
            return Ok(());
        }
        if let Some((Entry::Variable(id), _)) = self.scopes[self.scope.0 as usize].get(Key::Name(last)) {
            let id = *id;
            if self.variable(id).decl.specifiers.is_extern {
                self.variables[id.0 as usize].decl = decl;
                return Ok(());
            }
            let before = self.variable(id).decl.span;
            return self.fail(|s| {
                let text = s.text(last);
                Diagnostic::new(&codes::REDEFINED, decl.span, format!("`{text}` is defined twice"))
                    .with_label(before, "first defined here")
            });
        }
        let id = self.new_variable(decl, self.scope, None);
        self.bind(self.scope, Key::Name(last), Entry::Variable(id));
        self.variables[id.0 as usize].limit = self.order + 1;
        if self.is_user(decl.span) {
            self.ready(id, decl.span)?;
            self.check_program_scope(id, decl);
        }
        Ok(())
    }

    fn check_program_scope(&mut self, id: VarId, decl: &'a VariableDecl) {
        let VariableState::Ready(ready) = &self.variable(id).state else { return };
        let ready = ready.clone();
        // What was written: a variable that says nothing was put into constant memory above.
        let ty = match contains_auto(&decl.ty) {
            true => ready.ty,
            false => self.resolve(&decl.ty).unwrap_or(ready.ty),
        };
        if ty.space == AddressSpace::Constant || decl.specifiers.is_constexpr {
            if ready.function_constant.is_none() && !decl.specifiers.is_extern {
                self.check_has_value(&ready, decl);
            }
            return;
        }
        if let Type::Opaque(_) | Type::Reference { .. } | Type::Error = self.ty(ty.ty) {
            return;
        }
        let text = self.sources.text(decl.name.as_ref().map_or(decl.span, |name| name.span)).to_owned();
        let shown = self.show(QualType::plain(ty.ty));
        if ty.space == AddressSpace::Threadgroup {
            self.report(
                Diagnostic::new(
                    &codes::PROGRAM_SCOPE,
                    decl.span,
                    format!("`{text}` at program scope lives in `threadgroup` memory"),
                )
                .note("`threadgroup` variables belong to a kernel (MSL specification, \"threadgroup Address Space\")")
                .help("declare it in the kernel, and pass a pointer to the functions that use it"),
            );
            return;
        }
        self.report(
            Diagnostic::new(
                &codes::PROGRAM_SCOPE,
                decl.span,
                format!("`{text}` at program scope lives in `{}` memory", ty.space.name()),
            )
            .note("variables at program scope are in `constant` memory and have a value known when compiling (MSL specification, \"constant Address Space\")")
            .help(format!("write `constant {shown} {text} = …;`")),
        );
    }

    /// Nothing can write to constant memory later, so its variables start with a value.
    fn check_has_value(&mut self, ready: &ReadyVariable, decl: &'a VariableDecl) {
        let mut element = ready.ty.ty;
        while let Type::Array(inner, _) = *self.ty(element) {
            element = inner;
        }
        let needs_value = matches!(
            self.ty(element),
            Type::Scalar(_) | Type::Vector(..) | Type::PackedVector(..) | Type::Matrix { .. } | Type::Enum(_)
        );
        if decl.initializer.is_some() || !needs_value {
            return;
        }
        let text = self.sources.text(decl.name.as_ref().map_or(decl.span, |name| name.span)).to_owned();
        self.report(
            Diagnostic::new(
                &codes::PROGRAM_SCOPE,
                decl.span,
                format!("`{text}` at program scope has no value"),
            )
            .note("nothing can write to `constant` memory (MSL specification, \"constant Address Space\")")
            .help(format!(
                "give it one, or let the host set it: `constant … {text} [[function_constant(0)]];`"
            )),
        );
    }

    /// Type and value of a variable, found out on first use.
    pub(crate) fn ready(&mut self, id: VarId, span: Span) -> R<ReadyVariable> {
        match &self.variable(id).state {
            VariableState::Ready(ready) => return Ok(ready.clone()),
            VariableState::Failed => return Err(Failed),
            VariableState::Resolving => {
                return self.error(&codes::NOT_CONSTANT, span, "this variable's value depends on itself");
            }
            VariableState::Declared => {}
        }
        if self.depth > super::MAX_DEPTH {
            return self.too_deep(span);
        }
        self.variables[id.0 as usize].state = VariableState::Resolving;
        let variable = self.variable(id);
        let (decl, definition, scope, limit) =
            (variable.decl, variable.definition, variable.scope, variable.limit);
        let outer_limit = std::mem::replace(&mut self.limit, limit);
        self.depth += 1;
        let result = self.outside(|s| s.aloud(|s| s.within(scope, |s| s.static_value(decl, definition))));
        self.depth -= 1;
        self.limit = outer_limit;
        self.variables[id.0 as usize].state = match &result {
            Ok(ready) => VariableState::Ready(ready.clone()),
            Err(_) => VariableState::Failed,
        };
        result
    }

    fn static_value(
        &mut self,
        decl: &'a VariableDecl,
        definition: Option<&'a VariableDecl>,
    ) -> R<ReadyVariable> {
        let initializer =
            decl.initializer.as_ref().or_else(|| definition.and_then(|decl| decl.initializer.as_ref()));
        let function_constant = self.function_constant_index(&decl.attributes)?;
        let is_const = |mut ty: QualType| {
            ty.is_const |= decl.specifiers.is_constexpr;
            ty
        };
        if let Some(index) = function_constant {
            let ty = self.resolve(&decl.ty)?;
            if !matches!(self.ty(ty.ty), Type::Scalar(_) | Type::Vector(..)) {
                return self.fail(|s| {
                    let shown = s.show(ty);
                    Diagnostic::new(&codes::INVALID_ATTRIBUTE, decl.span, format!("a function constant cannot have type `{shown}`"))
                        .note("function constants are scalars or vectors (MSL specification, \"Function Constants\")")
                });
            }
            if initializer.is_some() {
                return self.error(
                    &codes::INVALID_ATTRIBUTE,
                    decl.span,
                    "a function constant gets its value from the host: it has no initial value",
                );
            }
            return Ok(ReadyVariable {
                ty: is_const(ty),
                value: None,
                function_constant: Some(index),
                derived: None,
                global: None,
            });
        }
        let locals = self.frame.locals.len();
        let (mut ty, value) = if contains_auto(&decl.ty) {
            self.auto_value(&decl.ty, initializer, decl.span)?
        } else {
            let ty = self.resolve(&decl.ty)?;
            self.require_complete(ty.ty, decl.span)?;
            if let Type::Opaque(_) = self.ty(ty.ty) {
                // Samplers: nothing here uses them, so what they say is not read.
                (ty, None)
            } else {
                self.initial_value(ty, initializer, decl.span)?
            }
        };
        ty = is_const(ty);
        if ty.space == AddressSpace::Thread {
            ty.space = AddressSpace::Constant;
        }
        if let Type::Opaque(_) = self.ty(ty.ty) {
            return Ok(ReadyVariable {
                ty,
                value: None,
                function_constant: None,
                derived: None,
                global: None,
            });
        }
        let Some(value) = value else {
            return Ok(ReadyVariable {
                ty,
                value: Some(Rc::new(Constant::Zero)),
                function_constant: None,
                derived: None,
                global: None,
            });
        };
        let span = decl.span;
        let constant = if self.reads_function_constants(&value) {
            None
        } else {
            Some(Rc::new(self.evaluate(&value, span)?))
        };
        let derived = constant.is_none().then(|| Rc::new(value));
        if derived.is_some() && self.frame.locals.len() > locals {
            return self.error(
                &codes::NOT_CONSTANT,
                span,
                "the value of a constant that depends on function constants must be a simple expression",
            );
        }
        Ok(ReadyVariable { ty, value: constant, function_constant: None, derived, global: None })
    }

    /// `[[function_constant(n)]]` of a variable.
    fn function_constant_index(&mut self, attributes: &'a [Attribute]) -> R<Option<u32>> {
        for attribute in attributes {
            if self.text(attribute.name.name) == "function_constant" {
                let Some(argument) = attribute.arguments.first() else {
                    return self.error(
                        &codes::INVALID_ATTRIBUTE,
                        attribute.span,
                        "the index of the constant is missing",
                    );
                };
                let index = self.value_argument(argument)?;
                if !(0..=65535).contains(&index) {
                    return self.error(
                        &codes::INVALID_ATTRIBUTE,
                        argument.span,
                        "indices of function constants go from 0 to 65535",
                    );
                }
                return Ok(Some(index as u32));
            }
        }
        Ok(None)
    }

    /// Does a value depend on function constants?
    pub(crate) fn reads_function_constants(&self, value: &Expr) -> bool {
        let mut found = false;
        super::visit::visit(value, &mut |expr| {
            let global = match &expr.kind {
                ExprKind::IsFunctionConstantDefined(_) => {
                    found = true;
                    return;
                }
                ExprKind::Load(place) | ExprKind::AddressOf(place) => super::visit::root_global(place),
                _ => None,
            };
            if let Some(id) = global
                && let Some(GlobalKind::FunctionConstant { .. } | GlobalKind::Derived(_)) =
                    self.program.globals.get(id.0 as usize).map(|global| &global.kind)
            {
                found = true;
            }
        });
        found
    }

    /// The program's variable behind a declaration, made when its address or value is needed.
    pub(crate) fn variable_global(&mut self, id: VarId, span: Span) -> R<(GlobalId, QualType)> {
        let ready = self.ready(id, span)?;
        if let Some(global) = ready.global {
            return Ok((global, ready.ty));
        }
        let kind = match (&ready.function_constant, &ready.derived, &ready.value) {
            (Some(index), _, _) => GlobalKind::FunctionConstant { index: *index },
            (None, Some(derived), _) => GlobalKind::Derived(Box::new((**derived).clone())),
            (None, None, Some(value)) => GlobalKind::Constant((**value).clone()),
            (None, None, None) => GlobalKind::Constant(Constant::Undefined),
        };
        let name = self.variable_air_name(id);
        let hir_ty = self.hir_type(ready.ty);
        let align_bytes = self.declared_alignment(self.variable(id).decl, hir_ty)?;
        let global =
            self.new_global(name, QualType { space: ready.ty.space, ..hir_ty }, align_bytes, kind, span);
        if let VariableState::Ready(ready) = &mut self.variables[id.0 as usize].state {
            ready.global = Some(global);
        }
        Ok((global, ready.ty))
    }

    pub(crate) fn declared_alignment(&mut self, decl: &'a VariableDecl, ty: QualType) -> R<u64> {
        let mut align = self.program.layout(ty.ty).1;
        for attribute in &decl.attributes {
            if let Some(wanted) = self.alignment_attribute(attribute)? {
                align = align.max(wanted);
            }
        }
        Ok(align)
    }

    pub(crate) fn new_global(
        &mut self,
        name: String,
        ty: QualType,
        align_bytes: u64,
        kind: GlobalKind,
        span: Span,
    ) -> GlobalId {
        let name = self.unique_air_name(name);
        self.program.globals.push(Global { name, ty, align_bytes, kind, span });
        GlobalId(self.program.globals.len() as u32 - 1)
    }

    /// What a variable's name means in an expression.
    pub(crate) fn variable_value(&mut self, id: VarId, span: Span) -> R<Val<'a>> {
        let ready = self.ready(id, span)?;
        if let Type::Opaque(_) = self.ty(ready.ty.ty) {
            return self.fail(|s| {
                let shown = s.show(ready.ty);
                Diagnostic::new(
                    &codes::UNSUPPORTED,
                    span,
                    format!("`{shown}` is not supported in compute kernels here"),
                )
            });
        }
        let (global, ty) = self.variable_global(id, span)?;
        if let Type::Reference { .. } = self.ty(ty.ty) {
            let pointer_type = self.hir_type(ty);
            let place = Place { kind: PlaceKind::Global(global), ty: pointer_type, span };
            return Ok(Val::Place(self.through_reference(place, ty, span), false));
        }
        Ok(Val::Place(Place { kind: PlaceKind::Global(global), ty, span }, false))
    }

    /// Declares a `static`, `constant` or `threadgroup` variable inside a function.
    pub(crate) fn declare_local_static(&mut self, decl: &'a VariableDecl, ty: Option<QualType>) -> R<()> {
        let Some(name) = decl.name.as_ref().and_then(|name| segment_name(&name.last)) else {
            return Err(Failed);
        };
        let text = self.text(name);
        if let Some(ty) = ty
            && ty.space == AddressSpace::Threadgroup
        {
            self.require_complete(ty.ty, decl.span)?;
            if let Some(initializer) = &decl.initializer {
                let is_empty = match initializer {
                    Initializer::Braced(list) => list.items.is_empty(),
                    Initializer::Copy(_) | Initializer::Parenthesized(..) => false,
                };
                if !is_empty {
                    return self.fail(|_| {
                        Diagnostic::new(&codes::INVALID_DECLARATION, decl.span, "a `threadgroup` variable cannot have an initial value")
                            .note("all threads of the threadgroup share it (MSL specification, \"threadgroup Address Space\")")
                            .help("let one thread assign it, then call `threadgroup_barrier(mem_flags::mem_threadgroup)`")
                    });
                }
            }
            self.check_atomic_space(ty, decl.span)?;
            if !self.frame.is_kernel && self.is_user(decl.span) {
                self.report(
                    Diagnostic::new(
                        &codes::INVALID_DECLARATION,
                        decl.span,
                        format!("the `threadgroup` variable `{text}` stands in a function that is no kernel"),
                    )
                    .note("threadgroup memory belongs to a kernel (MSL specification, \"threadgroup Address Space\")")
                    .help("declare it in the kernel, and pass a `threadgroup` pointer or reference to this function"),
                );
            }
            let align = self.declared_alignment(decl, ty)?;
            let name_text = self.static_air_name(text);
            let global = self.new_global(name_text, ty, align, GlobalKind::Threadgroup, decl.span);
            let place = Place { kind: PlaceKind::Global(global), ty, span: decl.span };
            self.bind(self.scope, Key::Name(name), Entry::Alias(Rc::new(place)));
            return Ok(());
        }
        let id = self.new_variable(decl, self.scope, None);
        self.variables[id.0 as usize].limit = self.limit;
        let air_name = self.static_air_name(text);
        // A local's value may name other locals that are constant.
        let locals = self.frame.locals.len();
        self.variables[id.0 as usize].state = VariableState::Resolving;
        let result = self.static_value(decl, None);
        self.frame.locals.truncate(locals);
        self.variables[id.0 as usize].state = match &result {
            Ok(ready) => VariableState::Ready(ready.clone()),
            Err(_) => VariableState::Failed,
        };
        self.bind(
            self.scope,
            Key::Name(name),
            if result.is_ok() { Entry::Variable(id) } else { Entry::Error },
        );
        let ready = result?;
        let kind = match (&ready.derived, &ready.value) {
            (Some(derived), _) => GlobalKind::Derived(Box::new((**derived).clone())),
            (None, Some(value)) => GlobalKind::Constant((**value).clone()),
            (None, None) => GlobalKind::Constant(Constant::Undefined),
        };
        let hir_ty = self.hir_type(ready.ty);
        let align = self.declared_alignment(decl, hir_ty)?;
        let global =
            self.new_global(air_name, QualType { space: ready.ty.space, ..hir_ty }, align, kind, decl.span);
        if let VariableState::Ready(ready) = &mut self.variables[id.0 as usize].state {
            ready.global = Some(global);
        }
        Ok(())
    }
}
