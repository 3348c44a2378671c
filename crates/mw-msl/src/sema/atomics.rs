//! What Metal says of atomic objects and functions, beyond their types.

use super::lookup::FnSet;
use super::no_match::{are, counted};
use super::value::Val;
use super::{R, Sema};
use crate::ast::{self, ExprKind as Ast};
use crate::names::Name;
use crate::types::{AddressSpace, QualType, Scalar, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// Atomic floats in threadgroup memory are new in MSL 4.1.
    pub(crate) fn check_atomic_space(&mut self, ty: QualType, span: Span) -> R<()> {
        let mut at = ty.ty;
        while let Type::Array(element, _) = *self.ty(at) {
            at = element;
        }
        if ty.space == AddressSpace::Threadgroup
            && let Type::Atomic(Scalar::Float) = self.ty(at)
            && self.options.metal_version < 410
        {
            return self.fail(|_| {
                Diagnostic::new(&codes::UNAVAILABLE, span, "`atomic_float` in `threadgroup` memory needs MSL 4.1")
                    .label("an atomic float in threadgroup memory")
                    .note("before MSL 4.1 atomic floats live in `device` memory only (MSL specification, \"Atomic Functions\")")
                    .help("use a CAS loop on `atomic_uint` with `as_type`, or add up with `simd_sum` first")
            });
        }
        Ok(())
    }

    /// Arguments of an atomic function: a mistake in the first one is told what is expected there.
    pub(crate) fn atomic_arguments(&mut self, name: Name, args: &'a [ast::Expr]) -> R<Vec<Val<'a>>> {
        let before = self.diagnostics.len();
        let result = self.expand_args(args);
        if result.is_err()
            && let Some(first) = args.first()
            && self.diagnostics.len() > before
        {
            let wanted = self.atomic_in(first).unwrap_or_else(|| "atomic_uint".to_owned());
            let text = self.text(name);
            let (from, to) = (first.span.start, first.span.end);
            if let Some(found) = self.diagnostics[before..]
                .iter_mut()
                .find(|found| found.primary.span.start >= from && found.primary.span.end <= to)
            {
                found.notes.push(format!(
                    "`{text}` expects a `device {wanted} *` here (or `threadgroup {wanted} *`)"
                ));
            }
        }
        result
    }

    /// The atomic type to whose pointer an argument is cast.
    fn atomic_in(&mut self, argument: &'a ast::Expr) -> Option<String> {
        let Ast::Cast(_, ty, _) = &argument.kind else { return None };
        let ty = self.quietly(|s| s.resolve(ty)).ok()?;
        let Type::Pointer(target) = *self.ty(ty.ty) else { return None };
        matches!(self.ty(target.ty), Type::Atomic(_)).then(|| self.show_type(target.ty))
    }

    /// Calls of atomic functions, whose many overloads say little.
    pub(crate) fn atomic_mistake(
        &mut self,
        name: &str,
        set: &FnSet,
        args: &[Val<'a>],
        span: Span,
    ) -> Option<Diagnostic> {
        let is_atomic = name.starts_with("atomic_") && name.ends_with("_explicit");
        let first = args.first().filter(|_| is_atomic && !set.library.is_empty())?;
        let ty = first.ty()?;
        let place = self.value_span(first).unwrap_or(span);
        let text = self.sources.text(place).to_owned();
        let object = match *self.ty(ty.ty) {
            Type::Pointer(target) => target,
            Type::Array(element, _) => QualType { ty: element, ..ty },
            Type::Atomic(_) => {
                return Some(
                    Diagnostic::new(
                        &codes::NO_MATCHING_FUNCTION,
                        place,
                        format!("`{name}` takes a pointer to the atomic object"),
                    )
                    .label(format!("is the object itself, `{}`", self.show(ty)))
                    .help(format!("write `&{text}`"))
                    .with_fix(place, format!("&{text}")),
                );
            }
            _ => {
                return Some(
                    Diagnostic::new(
                        &codes::NO_MATCHING_FUNCTION,
                        place,
                        format!(
                            "`{name}` takes a pointer to an atomic object, such as `device atomic_uint *`"
                        ),
                    )
                    .label(format!("is `{}`", self.show(ty))),
                );
            }
        };
        let shown = self.show(ty);
        let Type::Atomic(scalar) = *self.ty(object.ty) else {
            let atomic = match self.ty(object.ty) {
                Type::Scalar(scalar @ (Scalar::Int | Scalar::UInt | Scalar::Float | Scalar::ULong)) => {
                    scalar.name()
                }
                _ => "uint",
            };
            let space = match object.space {
                AddressSpace::Threadgroup => "threadgroup",
                _ => "device",
            };
            return Some(
                Diagnostic::new(
                    &codes::NO_MATCHING_FUNCTION,
                    place,
                    format!("`{shown}` is no pointer to an atomic object"),
                )
                .label(format!("`{name}` takes a `{space} atomic_{atomic} *` here"))
                .note("only atomic types take part in atomic functions (MSL specification, \"Atomic Functions\")")
                .help(format!(
                    "declare it `{space} atomic_{atomic} *`, or cast it: `({space} atomic_{atomic} *)({text})`"
                )),
            );
        };
        if !matches!(object.space, AddressSpace::Device | AddressSpace::Threadgroup) {
            return Some(
                Diagnostic::new(
                    &codes::ADDRESS_SPACE_MISMATCH,
                    place,
                    format!("`{name}` works on `device` and `threadgroup` memory"),
                )
                .label(format!("points to `{}` memory", object.space.name()))
                .note("atomic objects of other memories are shared with nobody (MSL specification, \"Atomic Functions\")")
                .help(format!("take a `device atomic_{} *`, or a `threadgroup` variable", scalar.name())),
            );
        }
        let all = self.candidates(set);
        if !all.iter().any(|candidate| {
            let (least, most) = self.takes(candidate);
            (least..=most).contains(&args.len())
        }) {
            let usage = match name {
                "atomic_load_explicit" => "p, memory_order_relaxed",
                "atomic_compare_exchange_weak_explicit" => {
                    "p, &expected, value, memory_order_relaxed, memory_order_relaxed"
                }
                _ => "p, value, memory_order_relaxed",
            };
            let count = usage.split(',').count();
            let message = format!("`{name}` takes {}, {} given", counted(count, "argument"), are(args.len()));
            return Some(
                Diagnostic::new(&codes::NO_MATCHING_FUNCTION, span, message)
                    .help(format!("write `{name}({usage})`")),
            );
        }
        if object.is_const && name != "atomic_load_explicit" {
            return Some(
                Diagnostic::new(
                    &codes::NO_MATCHING_FUNCTION,
                    place,
                    format!("`{name}` changes the object, which is constant"),
                )
                .label(format!("is `{shown}`"))
                .help("declare the pointer without `const`"),
            );
        }
        let exists = all.iter().any(|candidate| {
            self.parameter_types(candidate).first().is_some_and(|parameter| match self.ty(parameter.ty) {
                Type::Pointer(target) => target.ty == object.ty && target.space == object.space,
                _ => false,
            })
        });
        if exists {
            return None;
        }
        let diagnostic = Diagnostic::new(
            &codes::NO_MATCHING_FUNCTION,
            span,
            format!(
                "there is no `{name}` for `atomic_{}` in `{}` memory",
                scalar.name(),
                object.space.name()
            ),
        )
        .with_label(place, format!("is `{shown}`"));
        Some(match scalar {
            Scalar::ULong | Scalar::Long => diagnostic
                .note("for `atomic_ulong` only `atomic_min_explicit` and `atomic_max_explicit` exist: no result, `device` memory, relaxed (MSL specification, \"Atomic Functions\")")
                .note("they need a GPU of the Apple8 family or later")
                .help("split the value into two `atomic_uint`, or keep the maximum only"),
            Scalar::Float => diagnostic
                .note("atomic floats can be loaded, stored, exchanged, added to and subtracted from (MSL specification, \"Atomic Functions\")")
                .help("use a loop of `atomic_compare_exchange_weak_explicit` on an `atomic_uint`, with `as_type`"),
            _ => diagnostic
                .note("MSL specification, \"Atomic Functions\"")
                .help("use an `atomic_uint`"),
        })
    }
}
