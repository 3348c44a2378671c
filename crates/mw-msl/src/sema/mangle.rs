//! Names in AIR: Itanium's mangling with Metal's address spaces as vendor qualifiers.
//!
//! Substitutions (`S_`) are not used except where a name would differ otherwise: the names are unique and
//! always the same, and equal Apple's wherever those have no repetition.

use super::Sema;
use super::scope::{Arg, FnSource, InstId, ScopeId, ScopeKind, VarId};
use crate::ast::{FunctionKind, OperatorToken as T, OverloadedOperator, SegmentKind};
use crate::types::{AddressSpace, QualType, Type, TypeId};
use std::fmt::Write as _;

impl Sema<'_> {
    /// A name that no other function or variable of the program has.
    pub(crate) fn unique_air_name(&mut self, name: String) -> String {
        if self.air_names.insert(name.clone()) {
            return name;
        }
        for number in 1u32.. {
            let other = format!("{name}.{number}");
            if self.air_names.insert(other.clone()) {
                return other;
            }
        }
        name
    }

    pub(crate) fn function_air_name(&mut self, id: InstId) -> String {
        let name = self.mangled_function(id);
        self.unique_air_name(name)
    }

    fn mangled_function(&self, id: InstId) -> String {
        let instance = self.instance(id);
        let function = self.function(instance.entity);
        let mut out = String::from("_Z");
        let (mut base, is_special) = match function.source {
            FnSource::Declared(decl) => match &decl.name.last.kind {
                _ if decl.kind == FunctionKind::Constructor => ("C1".to_owned(), true),
                _ if decl.kind == FunctionKind::Destructor => ("D1".to_owned(), true),
                SegmentKind::Name(name) => (identifier(self.text(*name)), false),
                SegmentKind::Operator(operator) => (
                    operator_code(
                        *operator,
                        instance.parameters.len() + usize::from(function.owner.is_some()),
                    )
                    .to_owned(),
                    false,
                ),
                SegmentKind::Conversion(_) => {
                    let mut code = "cv".to_owned();
                    if let Some(result) = instance.result {
                        self.mangle_type(result, &mut code);
                    }
                    (code, false)
                }
                SegmentKind::Destructor(_) | SegmentKind::Decltype(_) => ("D1".to_owned(), true),
            },
            FnSource::Lambda(..) => ("cl".to_owned(), false),
        };
        let has_args = !instance.args.is_empty() && function.parameters.is_some();
        if has_args {
            base.push('I');
            for arg in instance.args.iter() {
                self.mangle_arg(arg, &mut base);
            }
            base.push('E');
        }
        let prefix = match function.owner {
            Some(record) => self.record_prefix(record),
            None => self.scope_prefix(function.scope),
        };
        if prefix.is_empty() {
            out.push_str(&base);
        } else {
            out.push('N');
            if let Some(this) = instance.this {
                out.push_str(vendor(this.space));
                if this.is_const {
                    out.push('K');
                }
            }
            out.push_str(&prefix);
            out.push_str(&base);
            out.push('E');
        }
        if has_args
            && !is_special
            && let Some(result) = instance.result
        {
            self.mangle_type(result, &mut out);
        }
        if instance.parameters.is_empty() {
            out.push('v');
        }
        for param in instance.parameters.iter() {
            let plain = QualType { is_const: false, is_volatile: false, ..param.ty };
            self.mangle_type(plain, &mut out);
        }
        out
    }

    fn record_prefix(&self, record: crate::types::RecordId) -> String {
        let info = &self.records[record.0 as usize];
        let parent = self.scopes[info.scope.0 as usize].parent.unwrap_or(ScopeId(0));
        let mut out = self.scope_prefix(parent);
        out.push_str(&match info.name {
            Some(name) => identifier(self.text(name)),
            None => identifier(&format!("anon{}", record.0)),
        });
        if let Some((_, args)) = &info.template {
            out.push('I');
            for arg in args.iter() {
                self.mangle_arg(arg, &mut out);
            }
            out.push('E');
        }
        out
    }

    fn scope_prefix(&self, scope: ScopeId) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.0 as usize];
            match scope.kind {
                ScopeKind::Namespace if scope.parent.is_some() => {
                    parts.push(match scope.name {
                        Some(name) => identifier(self.text(name)),
                        None => "12_GLOBAL__N_1".to_owned(),
                    });
                }
                ScopeKind::Record(record) => {
                    parts.push(self.record_prefix(record));
                    break;
                }
                _ => {}
            }
            at = scope.parent;
        }
        parts.reverse();
        parts.concat()
    }

    fn mangle_arg(&self, arg: &Arg, out: &mut String) {
        match arg {
            Arg::Type(ty) => self.mangle_type(*ty, out),
            Arg::Value(ty, value) => {
                out.push('L');
                self.mangle_type(QualType::plain(*ty), out);
                if *value < 0 {
                    out.push('n');
                }
                let _ = write!(out, "{}E", value.unsigned_abs());
            }
            Arg::Function(_, id) => {
                out.push_str("XadL");
                out.push_str(&self.mangled_function(*id));
                out.push_str("EE");
            }
            Arg::Template(id) => out.push_str(&identifier(self.text(self.template(*id).name))),
            Arg::Pack(elements) => {
                out.push('J');
                for element in elements.iter() {
                    self.mangle_arg(element, out);
                }
                out.push('E');
            }
        }
    }

    fn mangle_type(&self, ty: QualType, out: &mut String) {
        out.push_str(vendor(ty.space));
        if ty.is_volatile {
            out.push('V');
        }
        if ty.is_const {
            out.push('K');
        }
        self.mangle_shape(ty.ty, out);
    }

    fn mangle_shape(&self, ty: TypeId, out: &mut String) {
        match self.ty(ty) {
            Type::Void => out.push('v'),
            Type::NullPointer => out.push_str("Dn"),
            Type::Scalar(scalar) => out.push_str(scalar.itanium_code()),
            Type::Vector(scalar, len) => {
                let _ = write!(out, "Dv{len}_{}", scalar.itanium_code());
            }
            Type::PackedVector(scalar, len) => {
                let _ = write!(out, "U9MTLpackedDv{len}_{}", scalar.itanium_code());
            }
            Type::Matrix { element, columns, rows } => {
                let _ = write!(out, "N5metal6matrixI{}Li{columns}ELi{rows}EvEE", element.itanium_code());
            }
            Type::SimdgroupMatrix { element, columns, rows } => {
                let _ = write!(
                    out,
                    "N5metal16simdgroup_matrixI{}Li{columns}ELi{rows}EvEE",
                    element.itanium_code()
                );
            }
            Type::Atomic(scalar) => {
                let _ = write!(out, "N5metal7_atomicI{}vEE", scalar.itanium_code());
            }
            Type::Pointer(target) => {
                out.push('P');
                self.mangle_type(*target, out);
            }
            Type::Reference { target, is_rvalue } => {
                out.push(if *is_rvalue { 'O' } else { 'R' });
                self.mangle_type(*target, out);
            }
            Type::Array(element, count) => {
                let _ = write!(out, "A{count}_");
                self.mangle_shape(*element, out);
            }
            Type::UnsizedArray(element) => {
                out.push_str("A_");
                self.mangle_shape(*element, out);
            }
            Type::Function { result, parameters } => {
                out.push('F');
                self.mangle_type(*result, out);
                if parameters.is_empty() {
                    out.push('v');
                }
                for parameter in parameters {
                    self.mangle_type(*parameter, out);
                }
                out.push('E');
            }
            Type::Record(record) => {
                let info = &self.records[record.0 as usize];
                let parent = self.scopes[info.scope.0 as usize].parent.unwrap_or(ScopeId(0));
                if self.scope_prefix(parent).is_empty() {
                    out.push_str(&self.record_prefix(*record));
                } else {
                    out.push('N');
                    out.push_str(&self.record_prefix(*record));
                    out.push('E');
                }
            }
            Type::Enum(id) => {
                let scope = self.enum_scopes[id.0 as usize];
                let prefix =
                    self.scopes[scope.0 as usize].parent.map_or_else(String::new, |p| self.scope_prefix(p));
                let name = &self.program.enumeration(*id).name;
                let name = if name.is_empty() { format!("anon{}", id.0) } else { name.clone() };
                if prefix.is_empty() {
                    out.push_str(&identifier(&name));
                } else {
                    let _ = write!(out, "N{prefix}{}E", identifier(&name));
                }
            }
            Type::Opaque(name) => out.push_str(&identifier(name)),
            Type::Unique(number) => {
                let _ = write!(out, "T{number}_");
            }
            Type::Error => out.push('?'),
        }
    }

    /// The name of a variable with static storage outside of functions.
    pub(crate) fn variable_air_name(&self, id: VarId) -> String {
        let variable = self.variable(id);
        let Some(name) = variable.decl.name.as_ref().and_then(|name| super::lookup::segment_name(&name.last))
        else {
            return "variable".to_owned();
        };
        let text = self.text(name);
        let prefix = self.scope_prefix(variable.scope);
        if prefix.is_empty() && variable.suffix.is_empty() {
            // Of internal linkage, as program scope constants are.
            return format!("_ZL{}", identifier(text));
        }
        let mut out = String::from("_Z");
        if !prefix.is_empty() {
            out.push('N');
            out.push_str(&prefix);
        }
        out.push_str(&identifier(text));
        if !variable.suffix.is_empty() {
            out.push('I');
            for arg in variable.suffix.iter() {
                self.mangle_arg(arg, &mut out);
            }
            out.push('E');
        }
        if !prefix.is_empty() {
            out.push('E');
        }
        out
    }

    /// The name of a variable inside of the function that is being checked.
    pub(crate) fn static_air_name(&mut self, name: &str) -> String {
        self.frame.statics += 1;
        let function = self.frame.mangled.clone();
        match function.strip_prefix("_Z") {
            Some(encoding) => format!("_ZZ{encoding}E{}", identifier(name)),
            None => format!("{function}.{name}"),
        }
    }
}

fn identifier(text: &str) -> String {
    format!("{}{text}", text.len())
}

fn vendor(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Thread => "",
        AddressSpace::Device => "U9MTLdevice",
        AddressSpace::Constant => "U11MTLconstant",
        AddressSpace::Threadgroup => "U14MTLthreadgroup",
        AddressSpace::ThreadgroupImageblock => "U25MTLthreadgroup_imageblock",
        AddressSpace::RayData => "U11MTLray_data",
        AddressSpace::ObjectData => "U14MTLobject_data",
    }
}

fn operator_code(operator: OverloadedOperator, operands: usize) -> &'static str {
    use crate::ast::BinaryOp as B;
    match operator {
        OverloadedOperator::Arithmetic(token) => match (token, operands) {
            (T::Plus, 1) => "ps",
            (T::Plus, _) => "pl",
            (T::Minus, 1) => "ng",
            (T::Minus, _) => "mi",
            (T::Star, 1) => "de",
            (T::Star, _) => "ml",
            (T::Slash, _) => "dv",
            (T::Percent, _) => "rm",
            (T::Caret, _) => "eo",
            (T::Ampersand, 1) => "ad",
            (T::Ampersand, _) => "an",
            (T::Pipe, _) => "or",
            (T::Tilde, _) => "co",
            (T::Exclamation, _) => "nt",
            (T::Less, _) => "lt",
            (T::Greater, _) => "gt",
            (T::LessEqual, _) => "le",
            (T::GreaterEqual, _) => "ge",
            (T::EqualEqual, _) => "eq",
            (T::ExclamationEqual, _) => "ne",
            (T::AmpersandAmpersand, _) => "aa",
            (T::PipePipe, _) => "oo",
            (T::ShiftLeft, _) => "ls",
            (T::ShiftRight, _) => "rs",
        },
        OverloadedOperator::Call => "cl",
        OverloadedOperator::Index => "ix",
        OverloadedOperator::Arrow => "pt",
        OverloadedOperator::Assign => "aS",
        OverloadedOperator::CompoundAssign(op) => match op {
            B::Add => "pL",
            B::Sub => "mI",
            B::Mul => "mL",
            B::Div => "dV",
            B::Rem => "rM",
            B::ShiftLeft => "lS",
            B::ShiftRight => "rS",
            B::And => "aN",
            B::Or => "oR",
            _ => "eO",
        },
        OverloadedOperator::Increment => "pp",
        OverloadedOperator::Decrement => "mm",
        OverloadedOperator::Comma => "cm",
    }
}
