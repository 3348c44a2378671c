//! Calls: of functions, members, function objects, types and the library.

use super::lookup::{FnSet, Found, segment_key, segment_name};
use super::overload::Chosen;
use super::rank::UserConversion;
use super::scope::{Entry, InstId, Key};
use super::unknown::Wanted;
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self, ExprKind as Ast, MathMode, OverloadedOperator};
use crate::hir::{BuiltinCall, Cast, Constant, Expr, ExprKind, FunctionId, Place, PlaceKind};
use crate::stdlib::LibraryNamespace;
use crate::types::{QualType, RecordId, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    pub(crate) fn call(&mut self, callee: &'a ast::Expr, args: &'a [ast::Expr], span: Span) -> R<Val<'a>> {
        match &callee.kind {
            Ast::Paren(inner) => {
                let value = self.expr(inner)?;
                let args = self.expand_args(args)?;
                self.call_value(value, args, span)
            }
            Ast::Name(name) => self.call_name(name, args, span),
            Ast::Member { object, is_arrow, qualifiers, name } => {
                let object = self.expr(object)?;
                if let (Some(last), Some(ty)) = (segment_name(name), object.ty())
                    && Some(last) == self.well_known.thread_elements
                {
                    let ty = match *self.ty(ty.ty) {
                        Type::Pointer(target) if *is_arrow => target.ty,
                        _ => ty.ty,
                    };
                    if let Type::SimdgroupMatrix { element, .. } = *self.ty(ty) {
                        return self.thread_elements(object, *is_arrow, element, span);
                    }
                }
                let callee = self.member_access(object, *is_arrow, qualifiers, name, callee.span)?;
                let args = self.expand_args(args)?;
                self.call_value(callee, args, span)
            }
            _ => {
                let value = self.expr(callee)?;
                let args = self.expand_args(args)?;
                self.call_value(value, args, span)
            }
        }
    }

    fn thread_elements(
        &mut self,
        object: Val<'a>,
        is_arrow: bool,
        element: crate::types::Scalar,
        span: Span,
    ) -> R<Val<'a>> {
        let place = if is_arrow {
            let pointer = self.rvalue(object, span)?;
            let Type::Pointer(target) = *self.ty(pointer.ty) else { return Err(Failed) };
            self.deref(pointer, target)
        } else {
            self.place_of(object, span)?
        };
        let ty = QualType { ty: self.intern(Type::Vector(element, 2)), ..place.ty };
        Ok(Val::Place(Place { kind: PlaceKind::ThreadElements(Box::new(place)), ty, span }, false))
    }

    fn call_name(&mut self, name: &'a ast::QualifiedName, args: &'a [ast::Expr], span: Span) -> R<Val<'a>> {
        let last = segment_name(&name.last);
        if last.is_some() && last == self.well_known.is_function_constant_defined {
            return self.is_defined_constant(args, span);
        }
        if last.is_some() && last == self.well_known.as_type {
            return self.as_type(name, args, span);
        }
        let (found, inside) = self.find(name)?;
        let mut set = match found {
            Found::Functions(set) => set,
            Found::Entry(entry @ (Entry::Type(_) | Entry::ClassTemplate(_) | Entry::AliasTemplate(_))) => {
                // A type that was not known as one when parsing.
                let last = last.ok_or(Failed)?;
                let args = self.expand_args(args)?;
                if let Entry::ClassTemplate(id) = &entry
                    && name.last.arguments.is_none()
                    && let Some(ty) = self.deduce_class(*id, &args)
                {
                    return self.construct_type(ty, args, span);
                }
                let ty = self.entry_type(entry, &name.last, last)?;
                return self.construct_type(ty, args, span);
            }
            Found::Entry(entry) => {
                let callee = self.entry_value(entry, &name.last, name.span)?;
                let args = self.expand_args(args)?;
                return self.call_value(callee, args, span);
            }
            Found::Nothing => FnSet::default(),
        };
        let given = self.segment_arguments(&name.last)?;
        let args = match last.filter(|last| self.text(*last).starts_with("atomic_")) {
            Some(last) => self.atomic_arguments(last, args)?,
            None => self.expand_args(args)?,
        };
        let is_member = set.functions.iter().any(|id| self.function(*id).owner.is_some());
        if inside.is_none() && !is_member {
            let key = segment_key(&name.last).ok_or(Failed)?;
            let types: Vec<TypeId> = args.iter().filter_map(|arg| arg.ty().map(|ty| ty.ty)).collect();
            let more = self.argument_dependent(key, &types);
            self.merge_sets(&mut set, more);
        }
        if set.is_empty() {
            let Some(last) = last else { return Err(Failed) };
            // Where an argument failed too, one error is enough.
            if args.iter().any(|arg| arg.ty().is_some_and(|ty| self.is_error(ty.ty))) {
                return Err(Failed);
            }
            return self.unknown(last, name.last.span, inside, Wanted::Callee);
        }
        let object = if is_member { self.implicit_object(span) } else { None };
        let object_type = object.as_ref().and_then(Val::ty);
        let mistakes = self.mistakes;
        self.calls.push(name.span);
        let chosen = self.choose(&set, given.as_deref(), object_type, &args, true);
        self.calls.pop();
        match chosen {
            Ok(chosen) => self.call_chosen(chosen, object, args, span),
            // What was wrong inside of a candidate was told.
            Err(_) if self.mistakes > mistakes => Err(Failed),
            Err(tied) => {
                let text = last.map_or_else(|| "operator".to_owned(), |name| self.text(name).to_owned());
                self.call_failed(&text, &set, given.as_deref(), &tied, &args, name.span)
            }
        }
    }

    /// The object of the member function that is being checked, for calls of other members.
    pub(crate) fn implicit_object(&mut self, span: Span) -> Option<Val<'a>> {
        if self.frame.this.is_none() && !self.frame.lambda_this {
            if self.unevaluated > 0
                && let Some(record) = self.enclosing_record(self.scope)
            {
                let ty = self.record_type(record);
                return Some(Val::Place(
                    Place { kind: PlaceKind::Local(crate::hir::LocalId(u32::MAX)), ty, span },
                    false,
                ));
            }
            return None;
        }
        self.quietly(|s| s.this_place(span)).ok().map(|place| Val::Place(place, false))
    }

    /// `as_type<T>(x)`
    fn as_type(&mut self, name: &'a ast::QualifiedName, args: &'a [ast::Expr], span: Span) -> R<Val<'a>> {
        let Some([argument]) = name.last.arguments.as_deref() else {
            return self.error(&codes::TEMPLATE_ARGUMENTS, name.span, "write `as_type<T>(x)`");
        };
        let to = self.type_argument(argument)?;
        let [arg] = args else {
            return self.error(&codes::NO_MATCHING_FUNCTION, span, "`as_type` takes one argument");
        };
        let value = self.expr(arg)?;
        let value = self.rvalue(value, span)?;
        let is_bits = |s: &Self, ty: TypeId| {
            matches!(s.ty(ty), Type::Scalar(_) | Type::Vector(..) | Type::PackedVector(..) | Type::Enum(_))
        };
        let (from_size, to_size) = (self.program.layout(value.ty).0, self.program.layout(to.ty).0);
        if !is_bits(self, value.ty) || !is_bits(self, to.ty) || from_size != to_size {
            let from = value.ty;
            return self.fail(|s| {
                let (a, b) = (s.show_type(from), s.show_type(to.ty));
                Diagnostic::new(
                    &codes::INVALID_OPERANDS,
                    span,
                    format!("`as_type` cannot read `{a}` ({from_size} bytes) as `{b}` ({to_size} bytes)"),
                )
                .note("both types are scalars or vectors of one size (MSL specification, \"Type Conversions and Re-interpreting Data\")")
            });
        }
        if value.ty == to.ty {
            return Ok(Val::Value(value));
        }
        Ok(Val::Value(self.cast(Cast::Bits, value, to.ty)))
    }

    /// Calls a value: overloads, a function pointer or an object with `operator()`.
    pub(crate) fn call_value(&mut self, callee: Val<'a>, args: Vec<Val<'a>>, span: Span) -> R<Val<'a>> {
        match callee {
            Val::Functions(set, given, key) => match self.choose(&set, given.as_deref(), None, &args, true) {
                Ok(chosen) => self.call_chosen(chosen, None, args, span),
                Err(tied) => {
                    let name = self.show_key(key);
                    self.call_failed(&name, &set, given.as_deref(), &tied, &args, span)
                }
            },
            Val::Method(object, set, given, key) => {
                let object_type = object.ty();
                match self.choose(&set, given.as_deref(), object_type, &args, true) {
                    Ok(chosen) => self.call_chosen(chosen, Some(*object), args, span),
                    Err(tied) => {
                        let name = self.show_key(key);
                        if tied.is_empty()
                            && let Some(ty) = object_type
                        {
                            return self.method_failed(&name, ty, &set, &args, span);
                        }
                        self.call_failed(&name, &set, given.as_deref(), &tied, &args, span)
                    }
                }
            }
            Val::List(_) => self.error(&codes::INVALID_OPERANDS, span, "this cannot be called"),
            callee => {
                let ty = callee.ty().ok_or(Failed)?;
                match self.ty(ty.ty).clone() {
                    Type::Error => Err(Failed),
                    Type::Record(record) => {
                        let _ = self.complete(record);
                        let key = Key::Operator(OverloadedOperator::Call);
                        match self.member(record, key) {
                            Some(Entry::Functions(set)) => {
                                let set = FnSet {
                                    functions: self.sets[set.0 as usize].clone(),
                                    library: Vec::new(),
                                };
                                self.call_value(Val::Method(Box::new(callee), set, None, key), args, span)
                            }
                            _ => self.fail(|s| {
                                let shown = s.show_type(ty.ty);
                                Diagnostic::new(
                                    &codes::INVALID_OPERANDS,
                                    span,
                                    format!("an object of type `{shown}` cannot be called"),
                                )
                            }),
                        }
                    }
                    Type::Pointer(target) => match self.ty(target.ty).clone() {
                        Type::Function { result, parameters } => {
                            self.call_pointer(callee, result, &parameters, args, span)
                        }
                        _ => self.not_callable(ty, span),
                    },
                    Type::Function { result, parameters } => {
                        self.call_pointer(callee, result, &parameters, args, span)
                    }
                    _ => self.not_callable(ty, span),
                }
            }
        }
    }

    fn not_callable<T>(&mut self, ty: QualType, span: Span) -> R<T> {
        self.fail(|s| {
            let shown = s.show(ty);
            let diagnostic = Diagnostic::new(
                &codes::INVALID_OPERANDS,
                span,
                format!("a value of type `{shown}` cannot be called"),
            );
            match s.ty(ty.ty) {
                Type::Matrix { .. } => diagnostic.help("its elements are `m[column][row]`"),
                Type::Vector(..) | Type::PackedVector(..) | Type::Array(..) | Type::Pointer(_) => {
                    diagnostic.help("its elements are `v[i]`")
                }
                _ => diagnostic,
            }
        })
    }

    fn method_failed<T>(
        &mut self,
        name: &str,
        object: QualType,
        set: &FnSet,
        args: &[Val<'a>],
        span: Span,
    ) -> R<T> {
        // Would it work on an object in thread memory?
        let thread = QualType { space: crate::types::AddressSpace::Thread, is_const: false, ..object };
        if object.space != crate::types::AddressSpace::Thread
            && self.choose(set, None, Some(thread), args, true).is_ok()
        {
            let space = object.space.name();
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::ADDRESS_SPACE_MISMATCH,
                    span,
                    format!("`{name}` is a member function for objects in `thread` memory"),
                )
                .label(format!("this object lives in `{space}` memory"))
                .note("a member function serves one address space, `thread` unless it says another after its parameters (MSL specification, \"Address Spaces\")")
                .help(format!("add an overload marked `{space}`, or copy the object into a variable first"))
            });
        }
        self.call_failed(name, set, None, &[], args, span)
    }

    fn call_pointer(
        &mut self,
        callee: Val<'a>,
        result: QualType,
        parameters: &[QualType],
        args: Vec<Val<'a>>,
        span: Span,
    ) -> R<Val<'a>> {
        if args.len() != parameters.len() {
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::NO_MATCHING_FUNCTION,
                    span,
                    format!("this function takes {} arguments, not {}", parameters.len(), args.len()),
                )
            });
        }
        let pointer = self.rvalue(callee, span)?;
        let mut arguments = Vec::with_capacity(args.len());
        for (arg, parameter) in args.into_iter().zip(parameters) {
            arguments.push(self.convert(arg, *parameter, span)?);
        }
        let ty = self.hir_type(result).ty;
        let kind = match pointer.kind {
            ExprKind::FunctionAddress(function) => {
                // The result of the function itself, should it have been `auto`.
                ExprKind::Call { function, arguments }
            }
            _ => ExprKind::CallPointer { pointer: Box::new(pointer), arguments },
        };
        Ok(self.call_result(Expr { kind, ty, span }, result))
    }

    /// The value of a call: references are places.
    fn call_result(&mut self, call: Expr, result: QualType) -> Val<'a> {
        match *self.ty(result.ty) {
            Type::Reference { target, is_rvalue } => Val::Place(self.deref(call, target), is_rvalue),
            _ => Val::Value(call),
        }
    }

    pub(crate) fn call_chosen(
        &mut self,
        chosen: Chosen,
        object: Option<Val<'a>>,
        args: Vec<Val<'a>>,
        span: Span,
    ) -> R<Val<'a>> {
        match chosen {
            Chosen::Instance(instance) => self.call_instance(instance, object, args, span),
            Chosen::Library(space, candidates, at) => {
                let candidate = &candidates[at];
                let mut arguments = Vec::with_capacity(candidate.parameters.len());
                for (arg, parameter) in args.into_iter().zip(&candidate.parameters) {
                    arguments.push(self.convert(arg, *parameter, span)?);
                }
                for at in arguments.len()..candidate.parameters.len() {
                    let ty = candidate.parameters[at].ty;
                    let default =
                        candidate.defaults.get(at - candidate.required).cloned().unwrap_or(Constant::Zero);
                    arguments.push(self.constant(ty, default, span));
                }
                let math_mode = match space {
                    LibraryNamespace::Fast => MathMode::Fast,
                    LibraryNamespace::Precise => MathMode::Safe,
                    LibraryNamespace::Metal | LibraryNamespace::Global => self.math_mode_of(),
                };
                self.check_library_call(candidate, &arguments, span)?;
                let call = BuiltinCall { builtin: candidate.id, arguments, math_mode };
                let ty = self.hir_type(candidate.result).ty;
                let call = Expr { kind: ExprKind::Builtin(call), ty, span };
                Ok(self.call_result(call, candidate.result))
            }
        }
    }

    /// Rules of the library that types alone do not tell.
    fn check_library_call(
        &mut self,
        candidate: &crate::stdlib::Candidate,
        arguments: &[Expr],
        span: Span,
    ) -> R<()> {
        if let Some(first) = arguments.first()
            && let Type::Pointer(target) = *self.ty(first.ty)
            && let Type::Atomic(_) = self.ty(target.ty)
        {
            let _ = candidate;
            return self.check_atomic_space(QualType { ..target }, span);
        }
        Ok(())
    }

    /// Calls one function with converted arguments and defaults.
    pub(crate) fn call_instance(
        &mut self,
        id: InstId,
        object: Option<Val<'a>>,
        args: Vec<Val<'a>>,
        span: Span,
    ) -> R<Val<'a>> {
        if self.is_deleted(id) {
            return self.fail(|s| {
                let name = s.instance_name(id);
                let diagnostic =
                    Diagnostic::new(&codes::DELETED_FUNCTION, span, format!("`{name}` is deleted"));
                match s.function(s.instance(id).entity).source {
                    super::scope::FnSource::Declared(decl) => {
                        diagnostic.with_label(decl.name.span, "deleted here")
                    }
                    super::scope::FnSource::Lambda(..) => diagnostic,
                }
            });
        }
        if let super::scope::FnSource::Declared(decl) = self.function(self.instance(id).entity).source
            && self.quiet == 0
            && self.is_kernel(decl)
        {
            let (name, declared) = (self.function_base_name(id), decl.name.span);
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::FORBIDDEN,
                    span,
                    format!("the kernel `{name}` is called like a function"),
                )
                .with_label(declared, "declared `kernel` here")
                .note("only the host starts kernels (MSL specification, \"Function Attributes\")")
                .help("put what both need into a function without `kernel`")
            });
        }
        let parameters = self.instance(id).parameters.clone();
        let this = self.instance(id).this;
        let mut arguments = Vec::with_capacity(parameters.len() + 1);
        if let Some(this) = this {
            let Some(object) = object else {
                return self.fail(|s| {
                    let name = s.instance_name(id);
                    Diagnostic::new(
                        &codes::INVALID_OPERANDS,
                        span,
                        format!("`{name}` needs an object to be called on"),
                    )
                });
            };
            let place = self.place_of(object, span)?;
            let place = self.upcast(place, this)?;
            let pointer = self.intern(Type::Pointer(this));
            let mut address = self.address(place);
            address.ty = pointer;
            arguments.push(address);
        }
        let count = args.len();
        for (at, arg) in args.into_iter().enumerate() {
            match parameters.get(at) {
                Some(param) => {
                    let ty = param.ty;
                    arguments.push(self.convert(arg, ty, span)?);
                }
                // What `...` takes is evaluated, and dropped.
                None => {
                    let _ = self.rvalue(arg, span)?;
                }
            }
        }
        self.default_arguments(id, count, &mut arguments)?;
        let result = self.result_of(id, span)?;
        if let Type::Record(_) = self.ty(result.ty) {
            self.require_complete(result.ty, span)?;
        }
        let function = self.used_function(id, span);
        let ty = self.hir_type(result).ty;
        let call = Expr { kind: ExprKind::Call { function, arguments }, ty, span };
        Ok(self.call_result(call, result))
    }

    /// The values of the parameters that a call leaves out, read where the function was declared.
    fn default_arguments(&mut self, id: InstId, given: usize, arguments: &mut Vec<Expr>) -> R<()> {
        let instance = self.instance(id);
        let (scope, parameters) = (instance.scope, instance.parameters.clone());
        let limit = self.function(instance.entity).limit;
        for param in parameters.iter().skip(given) {
            let Some(default) = param.default else { return Err(Failed) };
            let ty = param.ty;
            let outer = std::mem::replace(&mut self.limit, limit);
            let value = self.within(scope, |s| {
                let value = s.expr(default)?;
                s.convert(value, ty, default.span)
            });
            self.limit = outer;
            arguments.push(value?);
        }
        Ok(())
    }

    /// Is it `= delete`, and not specialised?
    pub(crate) fn is_deleted(&self, id: InstId) -> bool {
        match self.instance(id).special {
            Some((decl, _)) => matches!(decl.body, ast::FunctionBody::Delete),
            None => self.function(self.instance(id).entity).is_deleted,
        }
    }

    /// An object made by a constructor.
    pub(crate) fn construct(
        &mut self,
        record: RecordId,
        id: InstId,
        args: Vec<Val<'a>>,
        span: Span,
    ) -> R<Expr> {
        let parameters = self.instance(id).parameters.clone();
        let mut arguments = Vec::with_capacity(parameters.len());
        let count = args.len();
        for (arg, param) in args.into_iter().zip(parameters.iter()) {
            let ty = param.ty;
            arguments.push(self.convert(arg, ty, span)?);
        }
        self.default_arguments(id, count, &mut arguments)?;
        let constructor: FunctionId = self.used_function(id, span);
        let ty = self.record_type(record).ty;
        Ok(Expr { kind: ExprKind::Construct { constructor, arguments }, ty, span })
    }

    pub(crate) fn conversion_target(conversion: &UserConversion) -> InstId {
        match conversion {
            UserConversion::Constructor(id) | UserConversion::Function(id, _) => *id,
        }
    }
}
