//! Lambdas: closure classes whose fields are what they take.

use super::function::contains_auto;
use super::lookup::Found;
use super::scope::{Captures, Entry, FieldInfo, FnSource, InstId, Key, LocalEntry, RecordState, ScopeKind};
use super::value::Val;
use super::{R, Sema};
use crate::ast::{self, CaptureMode, OverloadedOperator};
use crate::hir::{Expr, ExprKind, Field, LocalId, Place, PlaceKind};
use crate::types::{QualType, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;
use std::rc::Rc;

struct Taken<'a> {
    key: (u32, LocalId),
    field: FieldInfo<'a>,
    value: Expr,
}

impl<'a> Sema<'a> {
    pub(crate) fn lambda(&mut self, lambda: &'a ast::Lambda, span: Span) -> R<Val<'a>> {
        let record = self.new_record(None, None, self.scope, span);
        let name = format!("lambda.{}", record.0);
        let out = &mut self.program.records[record.0 as usize];
        out.name = format!("(lambda {})", record.0);
        out.air_name = format!("class.{name}");
        let inner = self.push_scope(self.scope, ScopeKind::Block);
        let mut taken: Vec<Taken<'a>> = Vec::new();
        let mut this = None;
        for capture in &lambda.captures {
            match (&capture.name, &capture.initializer) {
                (None, _) => this = Some(self.take_this(capture.mode, span, &mut taken)?),
                (Some(name), Some(initializer)) => {
                    let value = self.expr(initializer)?;
                    let actual = value.ty().ok_or(super::Failed)?;
                    let ty = match capture.mode {
                        CaptureMode::Reference => self.reference_to(actual, false),
                        CaptureMode::Value => QualType::plain(actual.ty),
                    };
                    let value = self.convert(value, ty, initializer.span)?;
                    let frame = self.next_frame;
                    self.next_frame += 1;
                    let local = LocalId(taken.len() as u32);
                    self.bind(inner, Key::Name(name.name), Entry::Local(LocalEntry { frame, local, ty }));
                    taken.push(Taken {
                        key: (frame, local),
                        field: FieldInfo { ty, name: Some(name.name), initializer: None, is_mutable: false },
                        value,
                    });
                }
                (Some(name), None) => match self.lookup(Key::Name(name.name)) {
                    Found::Entry(entry) => {
                        self.take(entry, name.name, capture.mode, name.span, &mut taken)?;
                    }
                    _ => return self.unknown_name(name.name, name.span, None),
                },
            }
        }
        if let Some(mode) = lambda.default_capture {
            let mut names = Vec::new();
            super::walk::names_in_stmt(&lambda.body, &mut names);
            names.sort_unstable();
            names.dedup();
            for name in names {
                if let Found::Entry(entry @ (Entry::Local(_) | Entry::Pack(_))) = self.lookup(Key::Name(name))
                {
                    self.take(entry, name, mode, span, &mut taken)?;
                }
            }
            if this.is_none()
                && (self.frame.this.is_some() && !self.frame.lambda_this || self.captures_this())
            {
                this = Some(self.take_this(CaptureMode::Reference, span, &mut taken)?);
            }
        }
        let mut captures = Captures { locals: Vec::new(), this };
        let mut values = Vec::with_capacity(taken.len());
        let (mut at, mut align) = (0u64, 1u64);
        for (index, item) in taken.into_iter().enumerate() {
            captures.locals.push((item.key.0, item.key.1, index as u32));
            let ty = self.hir_type(item.field.ty);
            let (size, field_align) = self.program.layout(ty.ty);
            at = at.next_multiple_of(field_align.max(1));
            align = align.max(field_align);
            let text = item.field.name.map_or_else(String::new, |name| self.text(name).to_owned());
            self.program.records[record.0 as usize].fields.push(Field {
                name: text,
                ty,
                offset_bytes: at,
                argument_id: None,
            });
            at += size;
            self.records[record.0 as usize].fields.push(item.field);
            values.push(item.value);
        }
        let out = &mut self.program.records[record.0 as usize];
        out.align_bytes = align;
        out.size_bytes = at.max(1).next_multiple_of(align);
        let info = &mut self.records[record.0 as usize];
        info.state = RecordState::Complete;
        info.captures = Some(Rc::new(captures));
        info.limit = self.limit;
        let parameters =
            (!lambda.template_parameters.is_empty()).then_some(lambda.template_parameters.as_slice());
        let id = self.new_function(FnSource::Lambda(lambda, record), parameters, inner, Some(record));
        self.functions[id.0 as usize].rules = self.frame.rules;
        self.functions[id.0 as usize].limit = self.limit;
        let scope = self.records[record.0 as usize].scope;
        self.add_to_set(scope, Key::Operator(OverloadedOperator::Call), id);
        let ty = self.record_type(record).ty;
        // A lambda whose parameters are known is checked at once.
        if parameters.is_none()
            && !lambda.signature.parameters.parameters.iter().any(|p| contains_auto(&p.ty))
            && self.unevaluated == 0
        {
            let instance = self.plain_instance(id)?;
            self.need_function(instance, span);
            self.check_now(instance);
        }
        Ok(Val::Value(Expr { kind: ExprKind::Aggregate(values), ty, span }))
    }

    fn captures_this(&self) -> bool {
        self.frame.captures.as_ref().is_some_and(|(captures, _)| captures.this.is_some())
    }

    fn take_this(&mut self, mode: CaptureMode, span: Span, taken: &mut Vec<Taken<'a>>) -> R<(u32, QualType)> {
        let place = self.this_place(span)?;
        let target = place.ty;
        let (ty, value) = match mode {
            CaptureMode::Reference => {
                let ty = self.reference_to(target, false);
                let value = self.address(place);
                (ty, value)
            }
            CaptureMode::Value => (QualType::plain(target.ty), self.load(place)),
        };
        let index = taken.len() as u32;
        taken.push(Taken {
            key: (u32::MAX - 1, LocalId(u32::MAX)),
            field: FieldInfo { ty, name: None, initializer: None, is_mutable: false },
            value,
        });
        Ok((index, target))
    }

    /// Takes a variable of the enclosing function.
    fn take(
        &mut self,
        entry: Entry<'a>,
        name: crate::names::Name,
        mode: CaptureMode,
        span: Span,
        taken: &mut Vec<Taken<'a>>,
    ) -> R<()> {
        match entry {
            Entry::Pack(elements) => {
                for element in elements.iter() {
                    self.take(element.clone(), name, mode, span, taken)?;
                }
                Ok(())
            }
            Entry::Local(local) => {
                let key = (local.frame, local.local);
                if local.frame == super::scope::PROTOTYPE_FRAME || taken.iter().any(|item| item.key == key) {
                    return Ok(());
                }
                // A constant needs not be taken.
                if self.constants.contains_key(&key)
                    && matches!(self.ty(local.ty.ty), Type::Scalar(_) | Type::Enum(_) | Type::Vector(..))
                {
                    return Ok(());
                }
                if local.frame != self.frame.id
                    && !self.frame.captures.as_ref().is_some_and(|(captures, _)| {
                        captures.locals.iter().any(|(frame, id, _)| (*frame, *id) == key)
                    })
                {
                    return Ok(());
                }
                let value = self.local_value(local, span)?;
                let actual = value.ty().ok_or(super::Failed)?;
                let (ty, value) = match mode {
                    CaptureMode::Reference => {
                        let ty = self.reference_to(actual, false);
                        let value = self.convert(value, ty, span)?;
                        (ty, value)
                    }
                    CaptureMode::Value => {
                        let place = self.place_of(value, span)?;
                        if let Type::Atomic(_) = self.ty(actual.ty) {
                            return Ok(());
                        }
                        (QualType::plain(actual.ty), self.load(place))
                    }
                };
                taken.push(Taken {
                    key,
                    field: FieldInfo { ty, name: Some(name), initializer: None, is_mutable: false },
                    value,
                });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The field of the closure that holds a variable of the enclosing function.
    pub(crate) fn captured(&mut self, entry: LocalEntry, span: Span) -> R<Option<Place>> {
        let found = self.frame.captures.as_ref().and_then(|(captures, _)| {
            captures
                .locals
                .iter()
                .find(|(frame, local, _)| *frame == entry.frame && *local == entry.local)
                .map(|(_, _, field)| *field)
        });
        let key = (entry.frame, entry.local);
        match found {
            Some(field) => {
                let Some((local, this)) = self.frame.this else { return Ok(None) };
                let pointer = self.load(self.local_place(local, span));
                let object = Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: this, span };
                let mut place = self.field_place(object, &[field]);
                // `through_reference` of the caller expects the variable as declared.
                if let Type::Reference { target, .. } = *self.ty(entry.ty.ty) {
                    let ty = self.intern(Type::Pointer(target));
                    let address = self.address(place);
                    let address = Expr { ty, ..address };
                    place = self.materialize(address);
                }
                Ok(Some(place))
            }
            None if self.constants.contains_key(&key) => {
                let constant = self.constants[&key].clone();
                let value = self.constant(entry.ty.ty, (*constant).clone(), span);
                Ok(Some(self.materialize(value)))
            }
            None if self.unevaluated > 0 => Ok(None),
            None => self.fail(|s| {
                let text = s.sources.text(span).to_owned();
                Diagnostic::new(&codes::NOT_CAPTURED, span, format!("this lambda does not take `{text}`"))
                    .help(format!(
                        "name it in the brackets: `[{text}]` for its value, `[&{text}]` for itself"
                    ))
            }),
        }
    }

    /// The object whose member function the lambda stands in.
    pub(crate) fn captured_this(&mut self, span: Span) -> R<Place> {
        let Some((captures, _)) = self.frame.captures.clone() else {
            return self.error(&codes::INVALID_OPERANDS, span, "`this` exists in member functions only");
        };
        let (Some((field, _)), Some((local, this))) = (captures.this, self.frame.this) else {
            return self.fail(|_| {
                Diagnostic::new(&codes::NOT_CAPTURED, span, "this lambda does not take `this`")
                    .help("name it in the brackets: `[this]`")
            });
        };
        let pointer = self.load(self.local_place(local, span));
        let object = Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: this, span };
        Ok(self.field_place(object, &[field]))
    }

    /// The instance of a lambda with `auto` parameters for some arguments.
    pub(crate) fn generic_lambda(
        &mut self,
        id: super::scope::FnId,
        lambda: &'a ast::Lambda,
        args: &[Val<'a>],
    ) -> Option<InstId> {
        let parameters = &lambda.signature.parameters.parameters;
        if args.len() < parameters.len()
            && parameters[args.len()..].iter().any(|p| p.default.is_none() && !p.is_pack)
        {
            return None;
        }
        let scope = self.function(id).scope;
        let types = self
            .within(scope, |s| {
                s.quietly(|s| {
                    let mut types = Vec::new();
                    for (at, parameter) in parameters.iter().enumerate() {
                        if !contains_auto(&parameter.ty) {
                            continue;
                        }
                        if parameter.is_pack {
                            for arg in &args[at.min(args.len())..] {
                                types.push(s.deduce_auto(&parameter.ty, arg, Span::default())?);
                            }
                        } else if let Some(arg) = args.get(at) {
                            types.push(s.deduce_auto(&parameter.ty, arg, Span::default())?);
                        }
                    }
                    Ok(types)
                })
            })
            .ok()?;
        let key: super::Args = types.iter().map(|ty| super::Arg::Type(*ty)).collect();
        if let Some(Some(known)) = self.instance_ids.get(&(id, key.clone())) {
            return Some(*known);
        }
        let outer = std::mem::replace(&mut self.auto_types, types.into());
        let instance = self.quietly(|s| s.make_instance(id, key, scope));
        self.auto_types = outer;
        instance.ok()
    }
}
