//! From written types to types.

use super::lookup::{Found, segment_name};
use super::report::forbidden;
use super::scope::{Arg, Entry, Key, TemplateId};
use super::unknown::Wanted;
use super::{Failed, R, Sema};
use crate::ast::{
    self, BuiltinTemplate, DeclKind, ExprKind, NameSegment, QualifiedName, Qualifiers, TagKind, TypeKind,
};
use crate::names::Name;
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// The type that some syntax means in the current scope.
    pub(crate) fn resolve(&mut self, ty: &'a ast::Type) -> R<QualType> {
        self.nested(ty.span, |s| {
            let base = s.resolve_kind(ty)?;
            if s.options.metal_version < 310 {
                s.check_version(ty, base)?;
            }
            s.qualify(base, &ty.qualifiers, ty.span)
        })
    }

    /// Types that older versions of the language do not have, where the user names them.
    fn check_version(&mut self, ty: &'a ast::Type, found: QualType) -> R<()> {
        if self.quiet > 0 || !self.is_user(ty.span) {
            return Ok(());
        }
        let text = match &ty.kind {
            TypeKind::Scalar(scalar) => scalar.name().to_owned(),
            TypeKind::Named(name) => segment_name(&name.last).map_or("", |name| self.text(name)).to_owned(),
            _ => return Ok(()),
        };
        let (Type::Scalar(element)
        | Type::Vector(element, _)
        | Type::PackedVector(element, _)
        | Type::Atomic(element)
        | Type::Matrix { element, .. }
        | Type::SimdgroupMatrix { element, .. }) = *self.ty(found.ty)
        else {
            return Ok(());
        };
        let is_atomic = matches!(self.ty(found.ty), Type::Atomic(_));
        let version = match element {
            // A template's parameter was named where it got its argument.
            Scalar::BFloat if text.contains("bfloat") => "3.1",
            Scalar::Float if is_atomic && self.options.metal_version < 300 => "3.0",
            _ => return Ok(()),
        };
        self.fail(|s| {
            let chosen = s.options.metal_version;
            let (major, minor) = (chosen / 100, chosen / 10 % 10);
            Diagnostic::new(&codes::UNAVAILABLE, ty.span, format!("`{text}` needs MSL {version}"))
                .label(format!("the language version is {major}.{minor}"))
                .help(format!("compile with `-std=metal{version}` or later"))
        })
    }

    fn resolve_kind(&mut self, ty: &'a ast::Type) -> R<QualType> {
        match &ty.kind {
            TypeKind::Void => Ok(QualType::plain(self.t.void)),
            TypeKind::Scalar(scalar) => Ok(self.plain(Type::Scalar(*scalar))),
            TypeKind::Forbidden(word) => self.fail(|_| {
                let diagnostic = forbidden(ty.span, &format!("type `{word}`"));
                if word.ends_with("double") {
                    diagnostic.help("write `float`: floating-point types are `half`, `bfloat` and `float`")
                } else {
                    diagnostic.help("write an integer type, such as `char` or `uint`")
                }
            }),
            TypeKind::Auto | TypeKind::DecltypeAuto => {
                self.error(&codes::AUTO_WITHOUT_VALUE, ty.span, "`auto` needs a value to take its type from")
            }
            TypeKind::Decltype(expr) => self.decltype(expr),
            TypeKind::Named(name) => self.resolve_name(name),
            TypeKind::Elaborated(tag, name) => self.resolve_elaborated(*tag, name),
            TypeKind::Defined(decl) => self.resolve_defined(decl),
            TypeKind::Builtin(template, arguments) => self.resolve_builtin(*template, arguments, ty.span),
            TypeKind::Pointer(target) => {
                let inner = self.resolve(target)?;
                self.check_spaceless(target, inner, "pointer", ty.span)?;
                self.pointer_to(inner, ty.span)
            }
            TypeKind::LvalueReference(target) => {
                let inner = self.resolve(target)?;
                self.check_spaceless(target, inner, "reference", ty.span)?;
                Ok(self.reference_to(inner, false))
            }
            TypeKind::RvalueReference(target) => {
                let inner = self.resolve(target)?;
                Ok(self.reference_to(inner, true))
            }
            TypeKind::Array(element, size) => {
                let inner = self.resolve(element)?;
                let array = match size {
                    None => Type::UnsizedArray(inner.ty),
                    Some(size) => {
                        let count = self.array_size(size)?;
                        Type::Array(inner.ty, count)
                    }
                };
                if self.program.layout(inner.ty).0.saturating_mul(match array {
                    Type::Array(_, count) => count,
                    _ => 1,
                }) > 1 << 40
                {
                    return self.error(&codes::INVALID_ARRAY, ty.span, "this array is too large");
                }
                let array = self.intern(array);
                Ok(QualType { ty: array, ..inner })
            }
            TypeKind::Function(function) => {
                let result = self.resolve(&function.result)?;
                let mut parameters = Vec::new();
                for parameter in &function.parameters.parameters {
                    if parameter.is_pack || matches!(parameter.ty.kind, TypeKind::PackExpansion(_)) {
                        let pattern = match &parameter.ty.kind {
                            TypeKind::PackExpansion(pattern) => pattern,
                            _ => &parameter.ty,
                        };
                        parameters.extend(self.expand_types(pattern)?);
                        continue;
                    }
                    let ty = self.resolve(&parameter.ty)?;
                    parameters.push(ty);
                }
                let parameters = parameters.into_iter().map(|ty| self.signature_type(ty)).collect();
                Ok(self.plain(Type::Function { result, parameters }))
            }
            TypeKind::MemberPointer(..) => self.fail(|_| forbidden(ty.span, "pointers to members")),
            TypeKind::PackExpansion(_) => {
                self.error(&codes::INVALID_PACK, ty.span, "a pack cannot be expanded here")
            }
            TypeKind::Error => Err(Failed),
        }
    }

    /// Applies qualifiers to a type.
    pub(crate) fn qualify(&mut self, mut ty: QualType, with: &Qualifiers, span: Span) -> R<QualType> {
        if matches!(self.ty(ty.ty), Type::Reference { .. }) {
            return Ok(ty);
        }
        ty.is_const |= with.is_const;
        ty.is_volatile |= with.is_volatile;
        ty.is_coherent |= with.is_coherent;
        if let Some((space, at)) = with.space {
            if ty.space != AddressSpace::Thread && ty.space != space {
                return self.fail(|_| {
                    Diagnostic::new(
                        &codes::ADDRESS_SPACE_MISMATCH,
                        at,
                        format!(
                            "an object cannot be both in `{}` and `{}` memory",
                            ty.space.name(),
                            space.name()
                        ),
                    )
                    .label("second address space")
                    .with_label(span, "this type has one already")
                });
            }
            ty.space = space;
        }
        Ok(ty)
    }

    /// A pointer or reference whose target's space is neither written nor brought by a name.
    fn check_spaceless(&mut self, target: &'a ast::Type, inner: QualType, what: &str, span: Span) -> R<()> {
        if inner.space != AddressSpace::Thread || target.qualifiers.space.is_some() || self.quiet > 0 {
            return Ok(());
        }
        // Behind a name the space may have been given (`thread`), or a parameter may bring it.
        let mut innermost = target;
        while let TypeKind::Array(element, _) = &innermost.kind {
            innermost = element;
            if innermost.qualifiers.space.is_some() {
                return Ok(());
            }
        }
        let named = !matches!(innermost.kind, TypeKind::Void | TypeKind::Scalar(_) | TypeKind::Builtin(..));
        if named || !self.is_user(span) {
            return Ok(());
        }
        self.fail(|s| {
            let name = s.show(inner);
            let mark = if what == "reference" { '&' } else { '*' };
            Diagnostic::new(
                &codes::MISSING_ADDRESS_SPACE,
                span,
                format!("this {what} to `{name}` says no address space"),
            )
            .note("every pointer and reference names the memory it leads to: `device`, `constant`, `threadgroup` or `thread` (MSL specification, \"Address Spaces\")")
            .help(format!("write `device {name} {mark}` for a buffer, `threadgroup {name} {mark}` for shared memory, `thread {name} {mark}` for a local variable"))
        })
    }

    pub(crate) fn pointer_to(&mut self, target: QualType, span: Span) -> R<QualType> {
        if matches!(self.ty(target.ty), Type::Reference { .. }) {
            return self.error(&codes::INVALID_TYPE, span, "a pointer to a reference does not exist");
        }
        Ok(self.plain(Type::Pointer(target)))
    }

    /// `T &` or `T &&`, collapsed if `T` is a reference.
    pub(crate) fn reference_to(&mut self, target: QualType, is_rvalue: bool) -> QualType {
        let reference = match self.ty(target.ty) {
            Type::Reference { target, is_rvalue: inner } => {
                Type::Reference { target: *target, is_rvalue: is_rvalue && *inner }
            }
            _ => Type::Reference { target, is_rvalue },
        };
        self.plain(reference)
    }

    /// Arrays and functions as parameters are pointers; outer qualifiers do not count.
    pub(crate) fn parameter_type(&mut self, ty: QualType) -> QualType {
        match *self.ty(ty.ty) {
            Type::Array(element, _) | Type::UnsizedArray(element) => {
                self.plain(Type::Pointer(QualType { ty: element, ..ty }))
            }
            Type::Function { .. } => self.plain(Type::Pointer(ty)),
            _ => ty,
        }
    }

    pub(crate) fn signature_type(&mut self, ty: QualType) -> QualType {
        let ty = self.parameter_type(ty);
        QualType::plain(ty.ty)
    }

    fn array_size(&mut self, size: &'a ast::Expr) -> R<u64> {
        let before = self.diagnostics.len();
        let value = self.integer_constant(size).inspect_err(|_| {
            if let Some(found) = self.diagnostics[before..].first_mut()
                && found.code == &codes::NOT_CONSTANT
            {
                found.notes.push("the size of an array is known when compiling".to_owned());
                found.help.push(
                    "write the largest size, make it a template parameter, or take the memory as a parameter: `threadgroup float *s [[threadgroup(0)]]`"
                        .to_owned(),
                );
            }
        })?;
        if value < 0 || value > i128::from(u32::MAX) {
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::INVALID_ARRAY,
                    size.span,
                    format!("an array cannot have {value} elements"),
                )
            });
        }
        Ok(value as u64)
    }

    /// The type that a name means.
    pub(crate) fn resolve_name(&mut self, name: &'a QualifiedName) -> R<QualType> {
        let inside = self.qualifier(name)?;
        match &name.last.kind {
            ast::SegmentKind::Decltype(expr) => return self.decltype(expr),
            ast::SegmentKind::Name(last) => {
                let found = match inside {
                    None => self.lookup(Key::Name(*last)),
                    Some(inside) => self.lookup_in(inside, Key::Name(*last)),
                };
                match found {
                    Found::Entry(entry) => return self.entry_type(entry, &name.last, *last),
                    Found::Nothing => return self.unknown(*last, name.last.span, inside, Wanted::Type),
                    Found::Functions(_) => {}
                }
            }
            _ => {}
        }
        self.not_a_type(&name.last)
    }

    fn not_a_type<T>(&mut self, segment: &NameSegment) -> R<T> {
        self.fail(|s| {
            let text = segment_name(segment).map_or("this", |name| s.text(name));
            Diagnostic::new(&codes::NOT_A_TYPE, segment.span, format!("`{text}` is no type"))
        })
    }

    /// The type that an entry means, with the template arguments written behind its name.
    pub(crate) fn entry_type(
        &mut self,
        entry: Entry<'a>,
        segment: &'a NameSegment,
        name: Name,
    ) -> R<QualType> {
        match entry {
            Entry::Type(ty) => match &segment.arguments {
                None => Ok(ty),
                // `S<U>` inside of `S`: the name means the template.
                Some(arguments) => match self.injected_template(ty.ty, name) {
                    Some(template) => self.template_type(template, arguments, segment.span),
                    None => self.fail(|s| {
                        let shown = s.show(ty);
                        Diagnostic::new(
                            &codes::NOT_A_TEMPLATE,
                            segment.span,
                            format!("`{shown}` is no template"),
                        )
                    }),
                },
            },
            Entry::ClassTemplate(template) | Entry::AliasTemplate(template) => match &segment.arguments {
                Some(arguments) => self.template_type(template, arguments, segment.span),
                None if self.template(template).parameters.iter().all(has_default) => {
                    self.template_type(template, &[], segment.span)
                }
                None => self.fail(|s| {
                    let text = s.text(name);
                    Diagnostic::new(
                        &codes::TEMPLATE_ARGUMENTS,
                        segment.span,
                        format!("`{text}` is a template and needs arguments"),
                    )
                    .help(format!("write `{text}<…>`"))
                }),
            },
            Entry::Pack(_) => {
                self.error(&codes::INVALID_PACK, segment.span, "a pack of types must be expanded with `...`")
            }
            Entry::Error => Err(Failed),
            _ => self.not_a_type(segment),
        }
    }

    pub(crate) fn injected_template(&self, ty: TypeId, name: Name) -> Option<TemplateId> {
        let Type::Record(record) = self.ty(ty) else { return None };
        let info = &self.records[record.0 as usize];
        if info.name != Some(name) {
            return None;
        }
        info.template.as_ref().map(|(template, _)| *template)
    }

    fn template_type(
        &mut self,
        template: TemplateId,
        arguments: &'a [ast::TemplateArgument],
        span: Span,
    ) -> R<QualType> {
        let given = self.given_arguments(arguments)?;
        let args = self.bind_template(template, given, span)?;
        match self.instantiate_template(template, &args, span)? {
            super::scope::Instantiated::Type(ty) => Ok(ty),
            super::scope::Instantiated::Variable(_) => {
                self.error(&codes::NOT_A_TYPE, span, "this names a variable, no type")
            }
        }
    }

    fn resolve_elaborated(&mut self, tag: TagKind, name: &'a QualifiedName) -> R<QualType> {
        let inside = self.qualifier(name)?;
        let Some(last) = segment_name(&name.last) else { return self.not_a_type(&name.last) };
        let found = match inside {
            None => self.lookup(Key::Name(last)),
            Some(inside) => self.lookup_in(inside, Key::Name(last)),
        };
        match found {
            Found::Entry(
                entry @ (Entry::Type(_) | Entry::ClassTemplate(_) | Entry::AliasTemplate(_) | Entry::Error),
            ) => self.entry_type(entry, &name.last, last),
            Found::Nothing if inside.is_none() && tag != TagKind::Enum => {
                let scope = self.enclosing_namespace(self.scope).unwrap_or(self.scope);
                let record = self.forward_record(last, scope, name.span, tag == TagKind::Union);
                Ok(self.plain(Type::Record(record)))
            }
            _ => self.not_a_type(&name.last),
        }
    }

    fn resolve_defined(&mut self, decl: &'a ast::Decl) -> R<QualType> {
        let key = (std::ptr::from_ref(decl) as usize, self.scope);
        if let Some(ty) = self.defined.get(&key) {
            return Ok(QualType::plain(*ty));
        }
        let ty = match &decl.kind {
            DeclKind::Record(record) | DeclKind::AnonymousRecord(record) => self.declare_record(record),
            DeclKind::Enum(enumeration) => self.declare_enum(enumeration),
            _ => return self.error(&codes::NOT_A_TYPE, decl.span, "this defines no type"),
        };
        let ty = ty.unwrap_or(self.t.error);
        self.defined.insert(key, ty);
        Ok(QualType::plain(ty))
    }

    fn resolve_builtin(
        &mut self,
        template: BuiltinTemplate,
        arguments: &'a [ast::TemplateArgument],
        span: Span,
    ) -> R<QualType> {
        if template == BuiltinTemplate::Opaque {
            let name = match arguments.first().map(|argument| &argument.kind) {
                Some(ast::TemplateArgumentKind::Expr(expr)) => match &expr.kind {
                    ExprKind::String(text) => text.clone(),
                    _ => "opaque".into(),
                },
                _ => "opaque".into(),
            };
            return Ok(self.plain(Type::Opaque(name)));
        }
        let mut scalar = None;
        let mut sizes = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            if at == 0 {
                let ty = self.type_argument(argument)?;
                if template == BuiltinTemplate::UnderlyingType {
                    return match *self.ty(ty.ty) {
                        Type::Enum(id) => {
                            let underlying = self.program.enumeration(id).underlying;
                            Ok(self.plain(Type::Scalar(underlying)))
                        }
                        _ => self.error(&codes::INVALID_TYPE, span, "this is no enumeration"),
                    };
                }
                match *self.ty(ty.ty) {
                    Type::Scalar(found) => scalar = Some(found),
                    Type::Error => return Err(Failed),
                    _ => {
                        return self.fail(|s| {
                            let shown = s.show(ty);
                            Diagnostic::new(
                                &codes::INVALID_TYPE,
                                argument.span,
                                format!("`{shown}` cannot be an element of a vector, matrix or atomic"),
                            )
                            .note("elements are scalars of Metal")
                        });
                    }
                }
            } else {
                sizes.push((self.value_argument(argument)?, argument.span));
            }
        }
        let Some(element) = scalar else { return Err(Failed) };
        let range = match template {
            BuiltinTemplate::Vector | BuiltinTemplate::PackedVector => 1..=16,
            BuiltinTemplate::Matrix => 2..=4,
            _ => 1..=64,
        };
        for (size, at) in &sizes {
            if !range.contains(size) || matches!(*size, 5..=7 | 9..=15) {
                return self.fail(|_| {
                    Diagnostic::new(
                        &codes::INVALID_TYPE,
                        *at,
                        format!("{size} components are not possible here"),
                    )
                    .note("vectors have 2, 3 or 4 components (MSL specification, \"Vector Data Types\")")
                });
            }
        }
        let size = |at: usize| sizes.get(at).map_or(1, |(size, _)| *size as u8);
        let ty = match template {
            // A vector of one component is its element.
            BuiltinTemplate::Vector if size(0) == 1 => Type::Scalar(element),
            BuiltinTemplate::PackedVector if size(0) == 1 => Type::Scalar(element),
            BuiltinTemplate::Vector => Type::Vector(element, size(0)),
            BuiltinTemplate::PackedVector => Type::PackedVector(element, size(0)),
            BuiltinTemplate::Matrix => {
                if !element.is_float() {
                    return self.error(&codes::INVALID_TYPE, span, "a matrix has floating-point elements");
                }
                Type::Matrix { element, columns: size(0), rows: size(1) }
            }
            BuiltinTemplate::SimdgroupMatrix => {
                if size(0) != 8 || size(1) != 8 {
                    let (columns, rows) = (size(0), size(1));
                    return self.fail(|_| {
                        Diagnostic::new(
                            &codes::INVALID_TYPE,
                            span,
                            format!("Metal has no simdgroup matrix of {columns} by {rows} `{}`", element.name()),
                        )
                        .note("simdgroup matrices are 8 by 8, of `half`, `bfloat` or `float` (MSL specification, \"SIMD-group Matrix Data Types\")")
                    });
                }
                Type::SimdgroupMatrix { element, columns: size(0), rows: size(1) }
            }
            BuiltinTemplate::Atomic => {
                if !matches!(
                    element,
                    Scalar::Int | Scalar::UInt | Scalar::Bool | Scalar::Float | Scalar::ULong | Scalar::Long
                ) {
                    return self.fail(|_| {
                        Diagnostic::new(
                            &codes::INVALID_TYPE,
                            span,
                            format!("`atomic<{}>` does not exist", element.name()),
                        )
                        .note("atomics are of `int`, `uint`, `bool`, `float` and `ulong` (MSL specification, \"Atomic Data Types\")")
                    });
                }
                Type::Atomic(element)
            }
            BuiltinTemplate::Opaque | BuiltinTemplate::UnderlyingType => return Err(Failed),
        };
        Ok(self.plain(ty))
    }

    /// A template argument that must be a type.
    pub(crate) fn type_argument(&mut self, argument: &'a ast::TemplateArgument) -> R<QualType> {
        match &argument.kind {
            ast::TemplateArgumentKind::Type(ty) => self.resolve(ty),
            ast::TemplateArgumentKind::Expr(expr) => self.expr_as_type(expr),
        }
    }

    /// An expression that the parser could not tell from a type.
    pub(crate) fn expr_as_type(&mut self, expr: &'a ast::Expr) -> R<QualType> {
        match &expr.kind {
            ExprKind::Name(name) => self.resolve_name(name),
            ExprKind::Error => Err(Failed),
            _ => self.error(&codes::TEMPLATE_ARGUMENTS, expr.span, "a type must stand here"),
        }
    }

    /// A template argument that must be an integer.
    pub(crate) fn value_argument(&mut self, argument: &'a ast::TemplateArgument) -> R<i128> {
        match &argument.kind {
            ast::TemplateArgumentKind::Expr(expr) => self.integer_constant(expr),
            ast::TemplateArgumentKind::Type(ty) => match &ty.kind {
                TypeKind::Named(name) => {
                    let value = self.name_value(name)?;
                    let value = self.rvalue(value, ty.span)?;
                    match self.constant_of(&value, ty.span)? {
                        Arg::Value(_, value) => Ok(value),
                        _ => self.error(&codes::NOT_CONSTANT, ty.span, "an integer must stand here"),
                    }
                }
                _ => self.error(&codes::TEMPLATE_ARGUMENTS, argument.span, "a value must stand here"),
            },
        }
    }

    /// `decltype(e)`
    pub(crate) fn decltype(&mut self, expr: &'a ast::Expr) -> R<QualType> {
        let outer = self.frame.locals.len();
        self.unevaluated += 1;
        let result = self.decltype_inner(expr);
        // What was made only to know the type is not needed.
        self.frame.locals.truncate(outer);
        self.unevaluated -= 1;
        result
    }

    fn decltype_inner(&mut self, expr: &'a ast::Expr) -> R<QualType> {
        if let ExprKind::Name(name) = &expr.kind
            && let Some(ty) = self.declared_type(name)?
        {
            return Ok(ty);
        }
        let value = self.expr(expr)?;
        if let ExprKind::Member { .. } = &expr.kind {
            return Ok(self.declared_member_type(&value));
        }
        self.decltype_of(value, expr.span)
    }
}

pub(crate) fn has_default(parameter: &ast::TemplateParameter) -> bool {
    parameter.is_pack
        || match &parameter.kind {
            ast::TemplateParameterKind::Type { default } => default.is_some(),
            ast::TemplateParameterKind::Value { default, .. } => default.is_some(),
            ast::TemplateParameterKind::Template { default, .. } => default.is_some(),
        }
}
