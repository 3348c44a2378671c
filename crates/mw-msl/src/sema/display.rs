//! Types, arguments and functions as messages write them.

use super::Sema;
use super::overload::Chosen;
use super::scope::{Arg, FnSource, InstId, Key};
use super::value::Val;
use crate::ast::{FunctionKind, OverloadedOperator, SegmentKind};
use crate::types::{AddressSpace, QualType, Type, TypeId};

impl<'a> Sema<'a> {
    /// A type in Metal's words.
    pub(crate) fn show_type(&self, ty: TypeId) -> String {
        self.show(QualType::plain(ty))
    }

    /// What a pointer or reference leads to: its address space is always said.
    fn show_target(&self, target: QualType) -> String {
        match target.space {
            AddressSpace::Thread => format!("{} {}", target.space.name(), self.show(target)),
            _ => self.show(target),
        }
    }

    /// A function type around what stands in its middle: `int (*)(float)`.
    fn show_function(&self, result: QualType, middle: &str, parameters: &[QualType]) -> String {
        let list: Vec<String> = parameters.iter().map(|ty| self.show(*ty)).collect();
        format!("{} {middle}({})", self.show(result), list.join(", "))
    }

    /// A qualified type in Metal's words.
    pub(crate) fn show(&self, ty: QualType) -> String {
        let mut out = String::new();
        if ty.space != AddressSpace::Thread {
            out.push_str(ty.space.name());
            out.push(' ');
        }
        if ty.is_const && !matches!(self.ty(ty.ty), Type::Pointer(_)) {
            out.push_str("const ");
        }
        if ty.is_volatile {
            out.push_str("volatile ");
        }
        match self.ty(ty.ty) {
            Type::Void => out.push_str("void"),
            Type::NullPointer => out.push_str("nullptr_t"),
            Type::Scalar(scalar) => out.push_str(scalar.name()),
            Type::Vector(scalar, len) => out.push_str(&format!("{}{len}", scalar.name())),
            Type::PackedVector(scalar, len) => out.push_str(&format!("packed_{}{len}", scalar.name())),
            Type::Matrix { element, columns, rows } => {
                out.push_str(&format!("{}{columns}x{rows}", element.name()));
            }
            Type::SimdgroupMatrix { element, columns, rows } => {
                out.push_str(&format!("simdgroup_{}{columns}x{rows}", element.name()));
            }
            Type::Atomic(scalar) => out.push_str(&format!("atomic_{}", scalar.name())),
            Type::Pointer(target) => match self.ty(target.ty) {
                Type::Function { result, parameters } => {
                    out.push_str(&self.show_function(*result, "(*)", parameters));
                }
                _ => {
                    out.push_str(&self.show_target(*target));
                    out.push_str(" *");
                    if ty.is_const {
                        out.push_str("const");
                    }
                }
            },
            Type::Reference { target, is_rvalue } => {
                let mark = if *is_rvalue { "&&" } else { "&" };
                match self.ty(target.ty) {
                    Type::Function { result, parameters } => {
                        out.push_str(&self.show_function(*result, &format!("({mark})"), parameters));
                    }
                    _ => {
                        out.push_str(&self.show_target(*target));
                        out.push(' ');
                        out.push_str(mark);
                    }
                }
            }
            Type::Array(element, count) => {
                out.push_str(&self.show_type(*element));
                out.push_str(&format!("[{count}]"));
            }
            Type::UnsizedArray(element) => {
                out.push_str(&self.show_type(*element));
                out.push_str("[]");
            }
            Type::Function { result, parameters } => {
                out.push_str(&self.show_function(*result, "", parameters));
            }
            Type::Record(record) => out.push_str(&self.program.record(*record).name),
            Type::Enum(id) => out.push_str(&self.program.enumeration(*id).name),
            Type::Opaque(name) => out.push_str(name),
            Type::Unique(number) => out.push_str(&format!("T{number}")),
            Type::Error => out.push('?'),
        }
        out
    }

    /// The namespaces and classes around a scope, as `a::b::`: names of records in AIR begin so.
    pub(crate) fn qualification(&self, scope: super::scope::ScopeId) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.0 as usize];
            match scope.kind {
                super::scope::ScopeKind::Namespace if scope.parent.is_some() => {
                    parts.push(match scope.name {
                        Some(name) => format!("{}::", self.text(name)),
                        None => "(anonymous namespace)::".to_owned(),
                    });
                }
                super::scope::ScopeKind::Record(record) => {
                    let name = &self.program.record(record).air_name;
                    parts.push(format!("{}::", name.split_once('.').map_or(name.as_str(), |(_, name)| name)));
                    break;
                }
                _ => {}
            }
            at = scope.parent;
        }
        parts.reverse();
        parts.concat()
    }

    /// The type's name for reflection.
    pub(crate) fn reflected_name(&self, param: &super::scope::Param<'a>, shown: QualType) -> String {
        let _ = param;
        self.show_type(shown.ty)
    }

    pub(crate) fn show_args(&self, args: &[Arg]) -> String {
        let list: Vec<String> = args.iter().flat_map(|arg| self.show_arg(arg)).collect();
        format!("<{}>", list.join(", "))
    }

    fn show_arg(&self, arg: &Arg) -> Vec<String> {
        match arg {
            Arg::Type(ty) => vec![self.show(*ty)],
            Arg::Value(ty, value) => vec![match self.ty(*ty) {
                Type::Scalar(crate::types::Scalar::Bool) => (*value != 0).to_string(),
                _ => value.to_string(),
            }],
            Arg::Function(_, id) => vec![self.instance_name(*id)],
            Arg::Template(id) => vec![self.text(self.template(*id).name).to_owned()],
            Arg::Pack(elements) => elements.iter().flat_map(|arg| self.show_arg(arg)).collect(),
        }
    }

    pub(crate) fn show_key(&self, key: Key) -> String {
        match key {
            Key::Name(name) => self.text(name).to_owned(),
            Key::Operator(operator) => format!("operator{}", operator_text(operator)),
        }
    }

    /// The name of a function as declared.
    pub(crate) fn function_base_name(&self, id: InstId) -> String {
        match self.function(self.instance(id).entity).source {
            FnSource::Declared(decl) => match &decl.name.last.kind {
                SegmentKind::Name(name) => self.text(*name).to_owned(),
                SegmentKind::Destructor(name) => format!("~{}", self.text(*name)),
                SegmentKind::Operator(operator) => format!("operator{}", operator_text(*operator)),
                SegmentKind::Conversion(_) => {
                    let to = self.instance(id).result.map_or_else(String::new, |ty| self.show(ty));
                    format!("operator {to}")
                }
                SegmentKind::Decltype(_) => "decltype".to_owned(),
            },
            FnSource::Lambda(..) => "operator()".to_owned(),
        }
    }

    /// `S<int>::f<float>(device float *)`
    pub(crate) fn instance_name(&self, id: InstId) -> String {
        let instance = self.instance(id);
        let function = self.function(instance.entity);
        let mut out = String::new();
        if let Some(record) = function.owner {
            out.push_str(&self.program.record(record).name);
            out.push_str("::");
        }
        let is_constructor =
            matches!(function.source, FnSource::Declared(decl) if decl.kind == FunctionKind::Constructor);
        out.push_str(&self.function_base_name(id));
        if !instance.args.is_empty() && !is_constructor {
            out.push_str(&self.show_args(&instance.args));
        }
        let list: Vec<String> = instance.parameters.iter().map(|param| self.show(param.ty)).collect();
        out.push_str(&format!("({})", list.join(", ")));
        out
    }

    /// An argument of a call: its type, as far as it has one.
    pub(crate) fn show_value(&self, value: &Val<'a>) -> String {
        match value {
            Val::List(_) => "{…}".to_owned(),
            Val::Functions(_, _, key) | Val::Method(_, _, _, key) => {
                format!("function `{}`", self.show_key(*key))
            }
            _ => value.ty().map_or_else(|| "?".to_owned(), |ty| self.show(ty)),
        }
    }

    /// A candidate of overload resolution.
    pub(crate) fn show_chosen(&self, name: &str, chosen: &Chosen) -> String {
        match chosen {
            Chosen::Instance(id) => {
                let result = self.instance(*id).result.map_or_else(|| "auto".to_owned(), |ty| self.show(ty));
                format!("{result} {}", self.instance_name(*id))
            }
            Chosen::Library(_, candidates, at) => {
                let candidate = &candidates[*at];
                let list: Vec<String> = candidate.parameters.iter().map(|ty| self.show(*ty)).collect();
                format!("{} {name}({})", self.show(candidate.result), list.join(", "))
            }
        }
    }
}

/// The operator behind the word `operator`.
pub(crate) fn operator_text(operator: OverloadedOperator) -> String {
    use crate::ast::OperatorToken as T;
    match operator {
        OverloadedOperator::Arithmetic(token) => match token {
            T::Plus => "+",
            T::Minus => "-",
            T::Star => "*",
            T::Slash => "/",
            T::Percent => "%",
            T::Caret => "^",
            T::Ampersand => "&",
            T::Pipe => "|",
            T::Tilde => "~",
            T::Exclamation => "!",
            T::Less => "<",
            T::Greater => ">",
            T::LessEqual => "<=",
            T::GreaterEqual => ">=",
            T::EqualEqual => "==",
            T::ExclamationEqual => "!=",
            T::AmpersandAmpersand => "&&",
            T::PipePipe => "||",
            T::ShiftLeft => "<<",
            T::ShiftRight => ">>",
        }
        .to_owned(),
        OverloadedOperator::Call => "()".to_owned(),
        OverloadedOperator::Index => "[]".to_owned(),
        OverloadedOperator::Arrow => "->".to_owned(),
        OverloadedOperator::Assign => "=".to_owned(),
        OverloadedOperator::CompoundAssign(op) => format!("{}=", super::operators::sign(op)),
        OverloadedOperator::Increment => "++".to_owned(),
        OverloadedOperator::Decrement => "--".to_owned(),
        OverloadedOperator::Comma => ",".to_owned(),
    }
}
