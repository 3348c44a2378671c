//! Names that nothing declares, and what was probably meant.

use super::lookup::Qualifier;
use super::scope::{Entry, FnSource, Key, ScopeId};
use super::{Failed, R, Sema};
use crate::names::Name;
use crate::stdlib::LibraryNamespace;
use crate::types::Type;
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

/// What the place of a name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Any,
    Type,
    Value,
    /// Something to call.
    Callee,
}

impl Wanted {
    fn accepts(self, entry: &Entry<'_>) -> bool {
        let is_type = matches!(entry, Entry::Type(_) | Entry::ClassTemplate(_) | Entry::AliasTemplate(_));
        let is_value = matches!(
            entry,
            Entry::Variable(_)
                | Entry::VariableTemplate(_)
                | Entry::Local(_)
                | Entry::Alias(_)
                | Entry::Constant(..)
                | Entry::Field(_)
                | Entry::Pack(_)
        );
        match self {
            Self::Any => true,
            Self::Type => is_type,
            Self::Value => is_value,
            Self::Callee => is_type || is_value || matches!(entry, Entry::Functions(_)),
        }
    }
}

impl<'a> Sema<'a> {
    /// Reports a name that nothing declares, with what may have been meant.
    pub(crate) fn unknown_name<T>(&mut self, name: Name, span: Span, inside: Option<Qualifier>) -> R<T> {
        self.unknown(name, span, inside, Wanted::Any)
    }

    /// As [`Self::unknown_name`], where it is known what the name should be.
    pub(crate) fn unknown<T>(
        &mut self,
        name: Name,
        span: Span,
        inside: Option<Qualifier>,
        wanted: Wanted,
    ) -> R<T> {
        // A declaration that is missing is one mistake, however often its name is used.
        if self.quiet == 0 && inside.is_none() && !self.unknown.insert((name, self.limit)) {
            self.mistakes += 1;
            return Err(Failed);
        }
        self.fail(|s| {
            let text = s.text(name);
            let place = s.inside_text(inside);
            let diagnostic = Diagnostic::new(
                &codes::UNKNOWN_NAME,
                span,
                format!("nothing named `{text}` is declared{place}"),
            );
            if let Some(known) = crate::foreign::meaning(text) {
                return diagnostic.help(known);
            }
            if let Some(declared) = s.declared_later(name, inside) {
                return diagnostic
                    .with_label(declared, "declared here, behind its use")
                    .help("move the declaration before the function that uses it");
            }
            let is_in_metal = inside.is_none()
                && (s.metal.is_some_and(|metal| s.scopes[metal.0 as usize].get(Key::Name(name)).is_some())
                    || s.library_has(LibraryNamespace::Metal, name));
            if is_in_metal {
                return diagnostic
                    .note("it is declared in namespace `metal`")
                    .help(format!("write `metal::{text}`, or `using namespace metal;` at the top"))
                    .with_fix(span, format!("metal::{text}"));
            }
            match s.meant(text, inside, wanted) {
                Some(closest) => {
                    diagnostic.help(format!("did you mean `{closest}`?")).with_fix(span, closest)
                }
                None => diagnostic,
            }
        })
    }

    fn inside_text(&self, inside: Option<Qualifier>) -> String {
        match inside {
            Some(Qualifier::Namespace(scope)) if scope != ScopeId(0) => {
                let name = self.scopes[scope.0 as usize].name.map_or("", |name| self.text(name));
                format!(" in namespace `{name}`")
            }
            Some(Qualifier::Record(record)) => format!(" in `{}`", self.program.record(record).name),
            Some(Qualifier::Enum(id)) => format!(" in `{}`", self.program.enumeration(id).name),
            _ => String::new(),
        }
    }

    /// A close name of the right kind, the nearest scopes first and the library last.
    fn meant(&self, text: &str, inside: Option<Qualifier>, wanted: Wanted) -> Option<String> {
        let mut names: Vec<&'a str> = Vec::new();
        let mut add = |scope: &super::Scope<'a>| {
            names.extend(scope.entries().filter_map(|(key, entry)| match key {
                Key::Name(name) if wanted.accepts(entry) => Some(self.names.text(name)),
                _ => None,
            }));
        };
        match inside {
            Some(Qualifier::Namespace(scope)) => add(&self.scopes[scope.0 as usize]),
            Some(Qualifier::Record(record)) => {
                let mut classes = vec![record];
                while let Some(class) = classes.pop() {
                    let info = &self.records[class.0 as usize];
                    add(&self.scopes[info.scope.0 as usize]);
                    classes.extend(&info.bases);
                }
            }
            Some(Qualifier::Enum(id)) => add(&self.scopes[self.enum_scopes[id.0 as usize].0 as usize]),
            None => {
                let mut at = Some(self.scope);
                while let Some(id) = at {
                    let scope = &self.scopes[id.0 as usize];
                    add(scope);
                    for used in &scope.usings {
                        add(&self.scopes[used.0 as usize]);
                    }
                    at = scope.parent;
                }
            }
        }
        let is_library_asked = matches!(wanted, Wanted::Any | Wanted::Callee)
            && !matches!(inside, Some(Qualifier::Record(_) | Qualifier::Enum(_)));
        let library = crate::stdlib::function_names().filter(|_| is_library_asked);
        for name in library {
            names.push(name);
        }
        names.retain(|other| !other.starts_with("__") && *other != text);
        Self::closest(text, names.into_iter()).map(str::to_owned)
    }

    /// Where a name is declared that is used before.
    fn declared_later(&self, name: Name, inside: Option<Qualifier>) -> Option<Span> {
        let scope = match inside {
            Some(Qualifier::Namespace(scope)) => scope,
            None => self.enclosing_namespace(self.scope)?,
            Some(_) => return None,
        };
        let (entry, _) = self.scopes[scope.0 as usize].get(Key::Name(name))?;
        let span = match entry {
            Entry::Functions(set) => match self.function(*self.sets[set.0 as usize].first()?).source {
                FnSource::Declared(decl) => decl.name.span,
                FnSource::Lambda(..) => return None,
            },
            Entry::Variable(id) => self.variable(*id).decl.name.as_ref()?.span,
            Entry::Type(ty) => match *self.ty(ty.ty) {
                Type::Record(record) => self.program.record(record).span,
                _ => return None,
            },
            Entry::Namespace(_) => return None,
            _ => return None,
        };
        self.is_user(span).then_some(span)
    }
}
