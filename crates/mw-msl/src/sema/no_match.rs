//! Calls that no function fits, or more than one: what is told of them.

use super::arguments::Given;
use super::lookup::FnSet;
use super::overload::{Chosen, is_pack};
use super::rank::Rank;
use super::report::across_spaces;
use super::scope::{FnId, FnSource, InstId};
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self, TypeKind};
use crate::hir::{Expr, ExprKind};
use crate::types::{AddressSpace, QualType, Scalar, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::{ExpansionId, Span};

/// A function that was looked at.
#[derive(Clone)]
pub(crate) enum Candidate {
    Instance(InstId),
    Template(FnId),
    Library(Chosen),
}

/// How many candidates a message names.
const SHOWN: usize = 3;

impl<'a> Sema<'a> {
    /// Reports a call that no function, or more than one, fits.
    pub(crate) fn call_failed<T>(
        &mut self,
        name: &str,
        set: &FnSet,
        given: Option<&[Given<'a>]>,
        tied: &[Chosen],
        args: &[Val<'a>],
        span: Span,
    ) -> R<T> {
        // What could not be declared or checked was told already.
        if args.iter().any(|arg| arg.ty().is_some_and(|ty| self.is_error(ty.ty)))
            || set.functions.iter().any(|id| self.function(*id).is_invalid)
        {
            self.mistakes += u32::from(self.quiet == 0);
            return Err(Failed);
        }
        if self.quiet > 0 {
            return Err(Failed);
        }
        // A candidate whose signature is wrong may be the one that was meant.
        for id in &set.functions {
            if self.function(*id).parameters.is_none() && self.plain_instance(*id).is_err() {
                self.functions[id.0 as usize].is_invalid = true;
                return Err(Failed);
            }
        }
        if tied.len() > 1 {
            return self.fail(|s| s.ambiguous_call(name, tied, args, span));
        }
        if let (Some(given), [only], true) = (given, set.functions.as_slice(), set.library.is_empty()) {
            self.check_given(name, *only, given, span)?;
        }
        self.fail(|s| match s.atomic_mistake(name, set, args, span) {
            Some(diagnostic) => diagnostic,
            None => s.no_match(name, set, given.unwrap_or_default(), args, span),
        })
    }

    /// Where an argument stands.
    pub(crate) fn value_span(&self, value: &Val<'a>) -> Option<Span> {
        let span = match value {
            Val::Place(place, _) | Val::After(_, place) => place.span,
            Val::Value(expr) => expr.span,
            Val::List(list) => list.span,
            Val::Functions(..) | Val::Method(..) => return None,
        };
        (span != Span::default() && self.is_user(span)).then_some(span)
    }

    /// Template arguments written behind the name of the only function.
    fn check_given(&mut self, name: &str, id: FnId, given: &[Given<'a>], span: Span) -> R<()> {
        let function = self.function(id);
        let Some(parameters) = function.parameters else {
            return self
                .fail(|_| Diagnostic::new(&codes::NOT_A_TEMPLATE, span, format!("`{name}` is no template")));
        };
        let parent = function.scope;
        let has_pack = parameters.iter().any(|parameter| parameter.is_pack);
        if given.len() > parameters.len() && !has_pack {
            let count = parameters.len();
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::TEMPLATE_ARGUMENTS,
                    span,
                    format!(
                        "`{name}` takes {}, {} given",
                        counted(count, "template argument"),
                        are(given.len())
                    ),
                )
            });
        }
        if has_pack {
            return Ok(());
        }
        let scope = self.push_scope(parent, super::ScopeKind::Template);
        for (parameter, argument) in parameters.iter().zip(given) {
            let arg = self.explicit_argument(parameter, argument.clone(), scope)?;
            self.bind_argument(scope, parameter, &arg);
        }
        Ok(())
    }

    fn ambiguous_call(&mut self, name: &str, tied: &[Chosen], args: &[Val<'a>], span: Span) -> Diagnostic {
        let list = self.shown_values(args);
        let mut diagnostic = Diagnostic::new(
            &codes::AMBIGUOUS,
            span,
            format!("more than one `{name}` fits the arguments ({list}) equally well"),
        );
        for arg in args {
            if let (Some(at), Some(ty)) = (self.value_span(arg), arg.ty())
                && at.expansion == ExpansionId::ROOT
            {
                diagnostic = diagnostic.with_label(at, format!("is `{}`", self.show_type(ty.ty)));
            }
        }
        for chosen in tied.iter().take(SHOWN) {
            let text = self.show_chosen(name, chosen);
            diagnostic = diagnostic.note(format!("candidate: `{text}`"));
        }
        let is_uniform = match tied.first() {
            Some(Chosen::Library(_, list, at)) => {
                list[*at].parameters.windows(2).all(|pair| pair[0] == pair[1])
            }
            _ => true,
        };
        match self.odd_one(args).filter(|_| is_uniform).or_else(|| self.only_number(tied, args)) {
            Some((at, wanted)) if args.len() == 1 => {
                let text = format!("{wanted}({})", self.sources.text(at));
                diagnostic.help(format!("convert the argument: `{text}`")).with_fix(at, text)
            }
            Some((at, wanted)) => {
                let text = format!("{wanted}({})", self.sources.text(at));
                diagnostic.help(format!("give all arguments one type: `{text}`")).with_fix(at, text)
            }
            None => diagnostic.help("convert the arguments to the types of the one that is meant"),
        }
    }

    /// The first argument whose type is not that of the others that are no literals, and that type.
    fn odd_one(&self, args: &[Val<'a>]) -> Option<(Span, String)> {
        let is_literal = |arg: &Val<'a>| matches!(arg, Val::Value(Expr { kind: ExprKind::Constant(_), .. }));
        let is_number = |arg: &Val<'a>| {
            arg.ty().is_some_and(|ty| matches!(self.ty(ty.ty), Type::Scalar(_) | Type::Vector(..)))
        };
        if !args.iter().all(is_number) {
            return None;
        }
        let wanted = args.iter().find(|arg| !is_literal(arg)).or(args.first())?.ty()?.ty;
        let odd = args.iter().find(|arg| arg.ty().is_some_and(|ty| ty.ty != wanted))?;
        let span = self.value_span(odd).filter(|span| span.expansion == ExpansionId::ROOT)?;
        Some((span, self.show_type(wanted)))
    }

    /// The only argument, an integer, of a function that has a version for `float`.
    fn only_number(&self, tied: &[Chosen], args: &[Val<'a>]) -> Option<(Span, String)> {
        let [only] = args else { return None };
        let is_integer = matches!(self.ty(only.ty()?.ty), Type::Scalar(scalar) if scalar.is_integer());
        let has_float = tied.iter().any(|chosen| match chosen {
            Chosen::Library(_, list, at) => list[*at]
                .parameters
                .first()
                .is_some_and(|ty| matches!(self.ty(ty.ty), Type::Scalar(Scalar::Float))),
            Chosen::Instance(_) => false,
        });
        let takes_integers = tied.iter().any(|chosen| match chosen {
            Chosen::Library(_, list, at) => list[*at]
                .parameters
                .first()
                .is_some_and(|ty| matches!(self.ty(ty.ty), Type::Scalar(scalar) if scalar.is_integer())),
            Chosen::Instance(_) => true,
        });
        let span = self.value_span(only).filter(|span| span.expansion == ExpansionId::ROOT)?;
        (is_integer && has_float && !takes_integers).then(|| (span, "float".to_owned()))
    }

    fn shown_values(&self, args: &[Val<'a>]) -> String {
        let shown: Vec<String> = args.iter().map(|arg| self.show_value(arg)).collect();
        shown.join(", ")
    }

    pub(crate) fn candidates(&mut self, set: &FnSet) -> Vec<Candidate> {
        let mut found = Vec::new();
        for id in &set.functions {
            if self.function(*id).parameters.is_some() {
                found.push(Candidate::Template(*id));
            } else if let Ok(instance) = self.quietly(|s| s.plain_instance(*id)) {
                found.push(Candidate::Instance(instance));
            }
        }
        for (space, name) in &set.library {
            if let Some(list) = self.library_candidates(*space, *name) {
                found.extend(
                    (0..list.len()).map(|at| Candidate::Library(Chosen::Library(*space, list.clone(), at))),
                );
            }
        }
        found
    }

    /// How many arguments a candidate takes, at least and at most.
    pub(crate) fn takes(&self, candidate: &Candidate) -> (usize, usize) {
        match candidate {
            Candidate::Instance(id) => {
                let parameters = &self.instance(*id).parameters;
                let required = parameters.iter().take_while(|parameter| parameter.default.is_none()).count();
                let is_variadic = match self.function(self.instance(*id).entity).source {
                    FnSource::Declared(decl) => decl.parameters.is_c_variadic,
                    FnSource::Lambda(..) => false,
                };
                (required, if is_variadic { usize::MAX } else { parameters.len() })
            }
            Candidate::Template(id) => {
                let declared = self.declared_parameters(*id);
                let required =
                    declared.iter().filter(|decl| decl.default.is_none() && !is_pack(decl)).count();
                let has_pack = declared.iter().any(is_pack);
                (required, if has_pack { usize::MAX } else { declared.len() })
            }
            Candidate::Library(chosen) => match chosen {
                Chosen::Library(_, list, at) => (list[*at].required, list[*at].parameters.len()),
                Chosen::Instance(_) => (0, usize::MAX),
            },
        }
    }

    /// Types of a candidate's parameters; none for templates.
    pub(crate) fn parameter_types(&self, candidate: &Candidate) -> Vec<QualType> {
        match candidate {
            Candidate::Instance(id) => {
                self.instance(*id).parameters.iter().map(|parameter| parameter.ty).collect()
            }
            Candidate::Library(Chosen::Library(_, list, at)) => list[*at].parameters.clone(),
            Candidate::Library(Chosen::Instance(_)) | Candidate::Template(_) => Vec::new(),
        }
    }

    fn fits(&mut self, candidate: &Candidate, arg: &Val<'a>, parameter: QualType) -> bool {
        let ics = self.implicit(arg, parameter, true);
        let is_library = matches!(candidate, Candidate::Library(_));
        ics.is_some_and(|ics| !is_library || ics.rank != Rank::Reluctant)
    }

    fn no_match(
        &mut self,
        name: &str,
        set: &FnSet,
        given: &[Given<'a>],
        args: &[Val<'a>],
        span: Span,
    ) -> Diagnostic {
        let all = self.candidates(set);
        let count = args.len();
        let of_count: Vec<Candidate> = all
            .iter()
            .filter(|candidate| {
                let (least, most) = self.takes(candidate);
                (least..=most).contains(&count)
            })
            .cloned()
            .collect();
        if of_count.is_empty() && !all.is_empty() {
            return self.wrong_count(name, &all, count, span);
        }
        if let [only] = of_count.as_slice() {
            let found = match only {
                Candidate::Template(id) => self.template_mismatch(name, *id, given, args, span),
                _ => self.argument_mismatch(name, only, args, span),
            };
            if let Some(diagnostic) = found {
                return diagnostic;
            }
        }
        // Those that more arguments fit come first.
        let mut ranked: Vec<(usize, Candidate)> = Vec::new();
        for candidate in of_count {
            let types = self.parameter_types(&candidate);
            let fits: Vec<bool> =
                types.iter().zip(args).map(|(ty, arg)| self.fits(&candidate, arg, *ty)).collect();
            let clashes = types.iter().zip(args).any(|(ty, arg)| self.space_clash(arg, *ty));
            // The first argument says most, and address spaces more than the type of what is pointed to.
            let fitting = 4 * fits.iter().filter(|fits| **fits).count()
                + 2 * usize::from(fits.first() == Some(&true))
                + usize::from(!clashes);
            ranked.push((fitting, candidate));
        }
        ranked.sort_by_key(|(fitting, _)| std::cmp::Reverse(*fitting));
        let best: Vec<Candidate> = match ranked.first() {
            Some((most, _)) if *most >= 4 => {
                let most = *most;
                ranked.iter().filter(|(fitting, _)| *fitting == most).map(|(_, c)| c.clone()).collect()
            }
            _ => ranked.iter().map(|(_, c)| c.clone()).collect(),
        };
        if let [only @ (Candidate::Instance(_) | Candidate::Library(_))] = best.as_slice()
            && count > 1
            && let Some(diagnostic) = self.argument_mismatch(name, only, args, span)
        {
            return diagnostic;
        }
        let list = self.shown_values(args);
        let diagnostic = Diagnostic::new(
            &codes::NO_MATCHING_FUNCTION,
            span,
            format!("no `{name}` fits the arguments ({list})"),
        );
        let mut diagnostic = self.with_candidates(diagnostic, name, &best);
        let mismatch = best.iter().find_map(|candidate| {
            let types = self.parameter_types(candidate);
            types.iter().zip(args).find_map(|(ty, arg)| self.space_mismatch(arg, *ty))
        });
        if let Some((have, want)) = mismatch {
            diagnostic = diagnostic.note(format!(
                "`{}` does not convert to `{}`: their address spaces differ",
                self.show(have),
                self.show(want)
            ));
        }
        diagnostic
    }

    /// Labels of the user's candidates, notes of the library's.
    fn with_candidates(
        &self,
        mut diagnostic: Diagnostic,
        name: &str,
        candidates: &[Candidate],
    ) -> Diagnostic {
        for candidate in candidates.iter().take(SHOWN) {
            let entity = match candidate {
                Candidate::Instance(id) => Some(self.instance(*id).entity),
                Candidate::Template(id) => Some(*id),
                Candidate::Library(_) => None,
            };
            let declared = entity.and_then(|id| match self.function(id).source {
                FnSource::Declared(decl) if self.is_user(decl.span) => Some(decl.name.span),
                _ => None,
            });
            let text = match candidate {
                Candidate::Instance(id) => Some(self.show_chosen(name, &Chosen::Instance(*id))),
                Candidate::Library(chosen) => Some(self.show_chosen(name, chosen)),
                Candidate::Template(_) => None,
            };
            diagnostic = match (declared, text) {
                (Some(at), Some(_)) => diagnostic.with_label(at, "candidate"),
                (Some(at), None) => diagnostic.with_label(at, "candidate template"),
                (None, Some(text)) => diagnostic.note(format!("candidate: `{text}`")),
                (None, None) => diagnostic,
            };
        }
        if candidates.len() > SHOWN && !(diagnostic.notes.is_empty() && diagnostic.labels.is_empty()) {
            diagnostic = diagnostic.note(format!("and {} more candidates", candidates.len() - SHOWN));
        }
        diagnostic
    }

    fn wrong_count(&mut self, name: &str, all: &[Candidate], count: usize, span: Span) -> Diagnostic {
        let least = all.iter().map(|candidate| self.takes(candidate).0).min().unwrap_or(0);
        let most = all.iter().map(|candidate| self.takes(candidate).1).max().unwrap_or(0);
        let takes = match (least, most) {
            (least, usize::MAX) => format!("at least {}", counted(least, "argument")),
            (least, most) if least == most => counted(least, "argument"),
            (least, most) => format!("{least} to {}", counted(most, "argument")),
        };
        let diagnostic = Diagnostic::new(
            &codes::NO_MATCHING_FUNCTION,
            span,
            format!("`{name}` takes {takes}, {} given", are(count)),
        );
        let diagnostic = self.with_candidates(diagnostic, name, &all[..all.len().min(1)]);
        match name {
            "threadgroup_barrier" => {
                diagnostic.help("write `threadgroup_barrier(mem_flags::mem_threadgroup)`")
            }
            "simdgroup_barrier" => diagnostic.help("write `simdgroup_barrier(mem_flags::mem_threadgroup)`"),
            _ => diagnostic,
        }
    }

    /// The first argument that does not fit the only candidate.
    fn argument_mismatch(
        &mut self,
        name: &str,
        candidate: &Candidate,
        args: &[Val<'a>],
        span: Span,
    ) -> Option<Diagnostic> {
        let types = self.parameter_types(candidate);
        let at = types.iter().zip(args).position(|(ty, arg)| !self.fits(candidate, arg, *ty))?;
        let (arg, wanted) = (&args[at], types[at]);
        let place = self.value_span(arg).unwrap_or(span);
        let have = self.show_value(arg);
        let shown = self.show(wanted);
        let mut diagnostic = match self.space_mismatch(arg, wanted) {
            Some((have, want)) => {
                let from = match *self.ty(have.ty) {
                    Type::Pointer(target) if matches!(self.ty(want.ty), Type::Pointer(_)) => target.space,
                    _ => have.space,
                };
                let verb = match self.ty(want.ty) {
                    Type::Pointer(_) => "points to",
                    _ => "lives in",
                };
                let space = from;
                let from = from.name();
                across_spaces(place, verb, space, format!("`{name}` takes a `{shown}`, this {verb} `{from}` memory"))
                .help(format!(
                    "copy the value into a variable of the other memory, or add an overload of `{name}` for `{from}` memory"
                ))
            }
            None => {
                let diagnostic = Diagnostic::new(
                    &codes::NO_MATCHING_FUNCTION,
                    place,
                    format!("`{name}` takes a `{shown}` here, not `{have}`"),
                )
                .label(format!("is `{have}`"));
                match arg.ty().map(|ty| (self.ty(ty.ty).clone(), self.ty(wanted.ty).clone())) {
                    Some((Type::Pointer(a), Type::Pointer(b)))
                        if a.ty == b.ty && a.is_const && !b.is_const =>
                    {
                        diagnostic
                            .note("what it points to is constant, and the function may change it")
                            .help("declare the function's parameter `const`, or the buffer without `const`")
                    }
                    Some((from, to)) => match super::convert::conversion_help(&from, &to, &shown) {
                        Some(help) => diagnostic.help(help),
                        None => diagnostic,
                    },
                    None => diagnostic,
                }
            }
        };
        if let Candidate::Instance(id) = candidate
            && let Some(parameter) = self.instance(*id).parameters.get(at)
            && self.is_user(parameter.decl.span)
        {
            diagnostic = diagnostic.with_label(parameter.decl.span, "the parameter");
        }
        Some(diagnostic)
    }

    /// Why the only template does not fit.
    fn template_mismatch(
        &mut self,
        name: &str,
        id: FnId,
        given: &[Given<'a>],
        args: &[Val<'a>],
        span: Span,
    ) -> Option<Diagnostic> {
        let FnSource::Declared(decl) = self.function(id).source else { return None };
        let parameters = self.function(id).parameters?;
        if !self.is_user(decl.span) {
            return None;
        }
        let declared = self.declared_parameters(id);
        if declared.iter().any(is_pack) || parameters.iter().any(|parameter| parameter.is_pack) {
            return None;
        }
        let (scope, mut deduction) = self.start_deduction(id, given)?;
        for (decl, arg) in declared.iter().zip(args) {
            let place = self.value_span(arg).unwrap_or(span);
            if !self.type_depends(&decl.ty, scope) {
                let Ok(wanted) = self.within(scope, |s| s.quietly(|s| s.resolve(&decl.ty))) else { continue };
                if self.implicit(arg, wanted, true).is_none() {
                    let (have, wanted) = (self.show_value(arg), self.show(wanted));
                    return Some(
                        Diagnostic::new(
                            &codes::NO_MATCHING_FUNCTION,
                            place,
                            format!("`{name}` takes a `{wanted}` here, not `{have}`"),
                        )
                        .label(format!("is `{have}`"))
                        .with_label(decl.span, "the parameter"),
                    );
                }
                continue;
            }
            let (_, mut alone) = self.start_deduction(id, given)?;
            let before = deduction.clone();
            if !self.deduce_from_value(&decl.ty, scope, arg, &mut alone) {
                let (have, written) = (self.show_value(arg), self.written(&decl.ty));
                let diagnostic = Diagnostic::new(
                    &codes::NO_MATCHING_FUNCTION,
                    place,
                    format!("`{have}` does not match the parameter `{written}` of `{name}`"),
                )
                .label(format!("is `{have}`"))
                .with_label(decl.span, "the parameter");
                return Some(match (arg.ty().map(|ty| self.ty(ty.ty).clone()), written_space(&decl.ty)) {
                    (Some(Type::Pointer(target)), Some(space)) if target.space != space => diagnostic
                        .note("pointers of different address spaces never convert (MSL specification, \"Address Spaces\")")
                        .help(format!("add an overload for `{}` memory", target.space.name())),
                    _ => diagnostic,
                });
            }
            if !self.deduce_from_value(&decl.ty, scope, arg, &mut deduction) {
                let clash = (0..parameters.len()).find_map(|at| {
                    let (first, second) = (before.known(at)?, alone.known(at)?);
                    (first != second).then_some((at, first, second))
                });
                let (at, first, second) = clash?;
                let parameter = parameters[at].name.map_or("?", |name| self.text(name.name));
                let (first, second) = (self.show_args(&[first]), self.show_args(&[second]));
                let (first, second) = (first.trim_matches(['<', '>']), second.trim_matches(['<', '>']));
                return Some(
                    Diagnostic::new(
                        &codes::NO_MATCHING_FUNCTION,
                        place,
                        format!("the arguments of `{name}` give `{parameter}` two meanings: `{first}` and `{second}`"),
                    )
                    .label(format!("here `{parameter}` is `{second}`"))
                    .with_label(decl.span, "the parameter")
                    .help(format!("convert one of the arguments, or write `{name}<{first}>(…)`")),
                );
            }
        }
        let missing = (0..parameters.len())
            .find(|at| deduction.known(*at).is_none() && !super::resolve::has_default(&parameters[*at]));
        let Some(missing) = missing else {
            let known: Vec<String> = (0..parameters.len())
                .filter_map(|at| {
                    let shown = self.show_args(&[deduction.known(at)?]);
                    let name = self.text(parameters[at].name?.name);
                    Some(format!("`{name}` = `{}`", shown.trim_matches(['<', '>'])))
                })
                .collect();
            if known.is_empty() {
                return None;
            }
            return Some(
                Diagnostic::new(
                    &codes::NO_MATCHING_FUNCTION,
                    span,
                    format!("the template `{name}` is not made for {}", known.join(", ")),
                )
                .with_label(decl.name.span, "the template")
                .note("its result or one of its default arguments, such as `enable_if_t<…>`, does not exist for them"),
            );
        };
        let parameter = parameters[missing].name.map_or("?", |name| self.text(name.name));
        Some(
            Diagnostic::new(
                &codes::NO_MATCHING_FUNCTION,
                span,
                format!("the arguments of `{name}` do not say what `{parameter}` is"),
            )
            .with_label(parameters[missing].span, "this template parameter")
            .help(format!("write it: `{name}<…>(…)`")),
        )
    }

    /// A type as it stands in the text.
    fn written(&self, ty: &ast::Type) -> String {
        let text = self.sources.text(ty.span);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Two types that differ in their address space only.
    fn space_mismatch(&self, arg: &Val<'a>, parameter: QualType) -> Option<(QualType, QualType)> {
        let from = arg.ty()?;
        let decayed = match *self.ty(from.ty) {
            Type::Array(element, _) => Some(QualType { ty: element, ..from }),
            _ => None,
        };
        let (have, want) = match (self.ty(from.ty), self.ty(parameter.ty)) {
            (Type::Pointer(a), Type::Pointer(b)) => (*a, *b),
            (_, Type::Pointer(b)) if decayed.is_some() => (decayed?, *b),
            (_, Type::Reference { target, .. }) if arg.is_lvalue() => (from, *target),
            _ => return None,
        };
        let is_void = matches!(self.ty(want.ty), Type::Void);
        (have.space != want.space && (have.ty == want.ty || is_void)).then_some((from, parameter))
    }

    /// Do a pointer and a parameter lead to different memories?
    fn space_clash(&self, arg: &Val<'a>, parameter: QualType) -> bool {
        let Some(from) = arg.ty() else { return false };
        match (self.ty(from.ty), self.ty(parameter.ty)) {
            (Type::Pointer(a), Type::Pointer(b)) => a.space != b.space,
            _ => false,
        }
    }
}

/// The address space of a written pointer's or reference's target.
fn written_space(ty: &ast::Type) -> Option<AddressSpace> {
    match &ty.kind {
        TypeKind::Pointer(target) | TypeKind::LvalueReference(target) | TypeKind::RvalueReference(target) => {
            target.qualifiers.space.map(|(space, _)| space)
        }
        _ => None,
    }
}

/// `1 argument`, `2 arguments`
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// `none is`, `1 is`, `2 are`
pub(crate) fn are(count: usize) -> String {
    match count {
        0 => "none is".to_owned(),
        1 => "1 is".to_owned(),
        _ => format!("{count} are"),
    }
}
