//! The tree as short text, for tests.

use std::fmt::Write as _;

use crate::ast::*;
use crate::names::Interner;

/// `text` of a tree. Casts are `cast<T>(e)`, constructions `T!(a)`, types read from the outside in.
pub(super) struct Dump<'i>(pub(super) &'i Interner);

impl Dump<'_> {
    fn list<T>(&self, items: &[T], one: impl Fn(&Self, &T) -> String) -> String {
        items.iter().map(|item| one(self, item)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn decls(&self, decls: &[Decl]) -> String {
        decls.iter().map(|decl| self.decl(decl)).collect::<Vec<_>>().join(" ")
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        let mut text = String::new();
        for attribute in attributes {
            let name = self.0.text(attribute.name.name);
            let _ = write!(text, "[[{name}");
            if !attribute.arguments.is_empty() {
                let _ = write!(text, "({})", self.list(&attribute.arguments, Self::argument));
            }
            text.push_str("]] ");
        }
        text
    }

    fn specifiers(specifiers: &Specifiers) -> String {
        let mut text = String::new();
        for (is_set, word) in [
            (specifiers.is_static, "static "),
            (specifiers.is_extern, "extern "),
            (specifiers.is_inline, "inline "),
            (specifiers.is_constexpr, "constexpr "),
            (specifiers.is_explicit, "explicit "),
        ] {
            if is_set {
                text.push_str(word);
            }
        }
        if let Some(stage) = specifiers.stage {
            let _ = write!(text, "{stage:?} ");
        }
        text
    }

    fn decl(&self, decl: &Decl) -> String {
        match &decl.kind {
            DeclKind::Namespace { name, is_inline, decls } => {
                let name = name.map_or("", |name| self.0.text(name.name));
                let word = if *is_inline { "inline namespace" } else { "namespace" };
                format!("{word} {name} {{ {} }}", self.decls(decls))
            }
            DeclKind::NamespaceAlias { name, target } => {
                format!("namespace {} = {};", self.0.text(name.name), self.name(target))
            }
            DeclKind::UsingNamespace(name) => format!("using namespace {};", self.name(name)),
            DeclKind::UsingName(name) => format!("using {};", self.name(name)),
            DeclKind::TypeAlias(alias) => {
                format!("alias {} = {};", self.0.text(alias.name.name), self.ty(&alias.ty))
            }
            DeclKind::Function(function) => self.function(function),
            DeclKind::Variables(variables) => {
                format!("{};", self.list(variables, Self::variable))
            }
            DeclKind::Record(record) | DeclKind::AnonymousRecord(record) => self.record(record),
            DeclKind::Enum(definition) => self.enumeration(definition),
            DeclKind::StaticAssert { condition, message } => {
                format!("static_assert({}, {message:?});", self.expr(condition))
            }
            DeclKind::Template(template) => format!(
                "template<{}> {}",
                self.list(&template.parameters, Self::template_parameter),
                self.decl(&template.decl)
            ),
            DeclKind::ExplicitInstantiation { decl, is_extern } => {
                format!("{}instantiate {}", if *is_extern { "extern " } else { "" }, self.decl(decl))
            }
            DeclKind::Linkage(decls) => format!("linkage {{ {} }}", self.decls(decls)),
            DeclKind::Friend(decl) => format!("friend {}", self.decl(decl)),
            DeclKind::DeductionGuide(guide) => format!(
                "guide {}({}) -> {};",
                self.0.text(guide.name.name),
                self.parameters(&guide.parameters),
                self.ty(&guide.result)
            ),
            DeclKind::Access(access) => format!("{access:?}:"),
            DeclKind::Pragma(pragma) => format!("{pragma:?};"),
            DeclKind::Empty => "empty;".to_owned(),
        }
    }

    fn record(&self, record: &RecordDecl) -> String {
        let mut text = format!("{:?}", record.tag).to_lowercase();
        if let Some(name) = &record.name {
            let _ = write!(text, " {}", self.name(name));
        }
        for (at, base) in record.bases.iter().enumerate() {
            let dots = if base.is_pack_expansion { "..." } else { "" };
            let _ = write!(text, "{}{}{dots}", if at == 0 { " : " } else { ", " }, self.ty(&base.ty));
        }
        match &record.members {
            Some(members) => {
                let _ = write!(text, " {{ {} }}", self.decls(members));
            }
            None => text.push(';'),
        }
        text
    }

    fn enumeration(&self, definition: &EnumDecl) -> String {
        let mut text = String::from(if definition.is_scoped { "enum class" } else { "enum" });
        if let Some(name) = &definition.name {
            let _ = write!(text, " {}", self.name(name));
        }
        if let Some(ty) = &definition.underlying {
            let _ = write!(text, " : {}", self.ty(ty));
        }
        match &definition.enumerators {
            Some(list) => {
                let items = self.list(list, |dump, item| {
                    let name = dump.0.text(item.name.name);
                    match &item.value {
                        Some(value) => format!("{name} = {}", dump.expr(value)),
                        None => name.to_owned(),
                    }
                });
                let _ = write!(text, " {{ {items} }}");
            }
            None => text.push(';'),
        }
        text
    }

    fn function(&self, function: &FunctionDecl) -> String {
        let mut text = self.attributes(&function.attributes);
        text.push_str(&Self::specifiers(&function.specifiers));
        let kind = match function.kind {
            FunctionKind::Plain => self.ty(&function.result),
            FunctionKind::Constructor => "ctor".to_owned(),
            FunctionKind::Destructor => "dtor".to_owned(),
            FunctionKind::Conversion => "conversion".to_owned(),
        };
        let _ =
            write!(text, "{kind} {}({})", self.name(&function.name), self.parameters(&function.parameters));
        let qualifiers = Self::qualifiers(&function.this_qualifiers);
        if !qualifiers.is_empty() {
            let _ = write!(text, " {}", qualifiers.trim_end());
        }
        if let Some(label) = &function.asm_label {
            let _ = write!(text, " asm {label:?}");
        }
        for (at, initializer) in function.member_initializers.iter().enumerate() {
            let _ = write!(
                text,
                "{}{}{}",
                if at == 0 { " : " } else { ", " },
                self.ty(&initializer.target),
                self.initializer(&initializer.value)
            );
        }
        match &function.body {
            FunctionBody::None => text.push(';'),
            FunctionBody::Default => text.push_str(" = default;"),
            FunctionBody::Delete => text.push_str(" = delete;"),
            FunctionBody::Block(body) => {
                let _ = write!(text, " {}", self.stmt(body));
            }
        }
        text
    }

    fn parameters(&self, list: &ParameterList) -> String {
        let mut text = self.list(&list.parameters, |dump, parameter| {
            let mut text = dump.ty(&parameter.ty);
            if parameter.is_pack {
                text.push_str("...");
            }
            if let Some(name) = parameter.name {
                let _ = write!(text, " {}", dump.0.text(name.name));
            }
            let attributes = dump.attributes(&parameter.attributes);
            if !attributes.is_empty() {
                let _ = write!(text, " {}", attributes.trim_end());
            }
            if let Some(default) = &parameter.default {
                let _ = write!(text, " = {}", dump.expr(default));
            }
            text
        });
        if list.is_c_variadic {
            text.push_str(", ...");
        }
        text
    }

    fn template_parameter(&self, parameter: &TemplateParameter) -> String {
        let mut text = match &parameter.kind {
            TemplateParameterKind::Type { .. } => "typename".to_owned(),
            TemplateParameterKind::Value { ty, .. } => self.ty(ty),
            TemplateParameterKind::Template { parameters, .. } => {
                format!("template<{}> class", self.list(parameters, Self::template_parameter))
            }
        };
        if parameter.is_pack {
            text.push_str("...");
        }
        if let Some(name) = parameter.name {
            let _ = write!(text, " {}", self.0.text(name.name));
        }
        let default = match &parameter.kind {
            TemplateParameterKind::Type { default } => default.as_ref().map(|ty| self.ty(ty)),
            TemplateParameterKind::Value { default, .. } => default.as_ref().map(|value| self.expr(value)),
            TemplateParameterKind::Template { default, .. } => default.as_ref().map(|name| self.name(name)),
        };
        if let Some(default) = default {
            let _ = write!(text, " = {default}");
        }
        text
    }

    fn variable(&self, variable: &VariableDecl) -> String {
        let mut text = self.attributes(&variable.attributes);
        text.push_str(&Self::specifiers(&variable.specifiers));
        text.push_str(&self.ty(&variable.ty));
        if let Some(name) = &variable.name {
            let _ = write!(text, " {}", self.name(name));
        }
        if !variable.bindings.is_empty() {
            let names = self.list(&variable.bindings, |dump, name| dump.0.text(name.name).to_owned());
            let _ = write!(text, " [{names}]");
        }
        if let Some(width) = &variable.bit_width {
            let _ = write!(text, " : {}", self.expr(width));
        }
        if let Some(initializer) = &variable.initializer {
            text.push_str(&self.initializer(initializer));
        }
        text
    }

    fn initializer(&self, initializer: &Initializer) -> String {
        match initializer {
            Initializer::Copy(value) => format!(" = {}", self.expr(value)),
            Initializer::Parenthesized(values, _) => format!("({})", self.list(values, Self::expr)),
            Initializer::Braced(list) => self.init_list(list),
        }
    }

    fn init_list(&self, list: &InitList) -> String {
        let items = self.list(&list.items, |dump, item| {
            let mut text = String::new();
            for designator in &item.designators {
                match designator {
                    Designator::Field(name) => {
                        let _ = write!(text, ".{}", dump.0.text(name.name));
                    }
                    Designator::Index(index) => {
                        let _ = write!(text, "[{}]", dump.expr(index));
                    }
                    Designator::IndexRange(first, last) => {
                        let _ = write!(text, "[{}...{}]", dump.expr(first), dump.expr(last));
                    }
                }
            }
            if !text.is_empty() {
                text.push_str(" = ");
            }
            text + &dump.expr(&item.value)
        });
        format!("{{{items}}}")
    }

    fn qualifiers(qualifiers: &Qualifiers) -> String {
        let mut text = String::new();
        for (is_set, word) in [
            (qualifiers.is_const, "const "),
            (qualifiers.is_volatile, "volatile "),
            (qualifiers.is_restrict, "restrict "),
            (qualifiers.is_coherent, "coherent "),
        ] {
            if is_set {
                text.push_str(word);
            }
        }
        if let Some((space, _)) = qualifiers.space {
            let _ = write!(text, "{} ", space.name());
        }
        text
    }

    pub(super) fn ty(&self, ty: &Type) -> String {
        let own = Self::qualifiers(&ty.qualifiers);
        let kind = match &ty.kind {
            TypeKind::Void => "void".to_owned(),
            TypeKind::Scalar(scalar) => format!("{scalar:?}").to_lowercase(),
            TypeKind::Forbidden(word) => format!("forbidden {word}"),
            TypeKind::Auto => "auto".to_owned(),
            TypeKind::DecltypeAuto => "decltype(auto)".to_owned(),
            TypeKind::Decltype(operand) => format!("decltype({})", self.expr(operand)),
            TypeKind::Named(name) => self.name(name),
            TypeKind::Elaborated(tag, name) => {
                format!("{} {}", format!("{tag:?}").to_lowercase(), self.name(name))
            }
            TypeKind::Defined(decl) => format!("<{}>", self.decl(decl)),
            TypeKind::Builtin(template, arguments) => {
                format!("{template:?}<{}>", self.list(arguments, Self::argument))
            }
            TypeKind::Pointer(inner) => format!("ptr({})", self.ty(inner)),
            TypeKind::LvalueReference(inner) => format!("ref({})", self.ty(inner)),
            TypeKind::RvalueReference(inner) => format!("rref({})", self.ty(inner)),
            TypeKind::Array(inner, size) => {
                let size = size.as_ref().map_or(String::new(), |size| self.expr(size));
                format!("array[{size}]({})", self.ty(inner))
            }
            TypeKind::Function(function) => {
                format!("fn({}) -> {}", self.parameters(&function.parameters), self.ty(&function.result))
            }
            TypeKind::MemberPointer(inner, class) => {
                format!("member ptr {}({})", self.name(class), self.ty(inner))
            }
            TypeKind::PackExpansion(inner) => format!("{}...", self.ty(inner)),
            TypeKind::Error => "error".to_owned(),
        };
        own + &kind
    }

    fn name(&self, name: &QualifiedName) -> String {
        let mut text = String::from(if name.global { "::" } else { "" });
        for segment in &name.qualifiers {
            text.push_str(&self.segment(segment));
            text.push_str("::");
        }
        text + &self.segment(&name.last)
    }

    fn segment(&self, segment: &NameSegment) -> String {
        let mut text = match &segment.kind {
            SegmentKind::Name(name) => self.0.text(*name).to_owned(),
            SegmentKind::Destructor(name) => format!("~{}", self.0.text(*name)),
            SegmentKind::Operator(operator) => format!("operator {operator:?}"),
            SegmentKind::Conversion(ty) => format!("operator {}", self.ty(ty)),
            SegmentKind::Decltype(operand) => format!("decltype({})", self.expr(operand)),
        };
        if let Some(arguments) = &segment.arguments {
            let _ = write!(text, "<{}>", self.list(arguments, Self::argument));
        }
        text
    }

    /// A type has `type ` before it, so that the two kinds are told apart.
    fn argument(&self, argument: &TemplateArgument) -> String {
        let mut text = match &argument.kind {
            TemplateArgumentKind::Type(ty) => format!("type {}", self.ty(ty)),
            TemplateArgumentKind::Expr(value) => self.expr(value),
        };
        if argument.is_pack_expansion {
            text.push_str("...");
        }
        text
    }

    pub(super) fn expr(&self, expr: &Expr) -> String {
        let two =
            |left: &Expr, op: &str, right: &Expr| format!("({} {op} {})", self.expr(left), self.expr(right));
        match &expr.kind {
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Int(value, ty) => match format!("{ty:?}").as_str() {
                "Int" => value.to_string(),
                ty => format!("{value}:{}", ty.to_lowercase()),
            },
            ExprKind::Float { value, ty, has_suffix } => {
                format!(
                    "{value:?}{}",
                    if *has_suffix { format!(":{ty:?}").to_lowercase() } else { String::new() }
                )
            }
            ExprKind::String(text) => format!("{text:?}"),
            ExprKind::Null => "nullptr".to_owned(),
            ExprKind::This => "this".to_owned(),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Unary(op, operand) => format!("{op:?}({})", self.expr(operand)),
            ExprKind::Binary(op, left, right) => two(left, &format!("{op:?}"), right),
            ExprKind::Assign(op, left, right) => {
                two(left, &op.map_or("=".to_owned(), |op| format!("{op:?}=")), right)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                format!("({} ? {} : {})", self.expr(condition), self.expr(then), self.expr(otherwise))
            }
            ExprKind::Comma(left, right) => two(left, ",", right),
            ExprKind::Call(callee, arguments) => {
                format!("{}({})", self.expr(callee), self.list(arguments, Self::expr))
            }
            ExprKind::Index(object, index) => format!("{}[{}]", self.expr(object), self.expr(index)),
            ExprKind::Member { object, is_arrow, qualifiers, name } => {
                let mut text = self.expr(object);
                text.push_str(if *is_arrow { "->" } else { "." });
                for qualifier in qualifiers {
                    text.push_str(&self.segment(qualifier));
                    text.push_str("::");
                }
                text + &self.segment(name)
            }
            ExprKind::Cast(style, ty, operand) => {
                let style = match style {
                    CastStyle::C => "cast".to_owned(),
                    style => format!("{style:?}_cast").to_lowercase(),
                };
                format!("{style}<{}>({})", self.ty(ty), self.expr(operand))
            }
            ExprKind::Construct(ty, arguments) => {
                format!("{}!({})", self.ty(ty), self.list(arguments, Self::expr))
            }
            ExprKind::ConstructBraced(ty, list) => format!("{}!{}", self.ty(ty), self.init_list(list)),
            ExprKind::InitList(list) => self.init_list(list),
            ExprKind::SizeofExpr(operand) => format!("sizeof({})", self.expr(operand)),
            ExprKind::SizeofType(ty) => format!("sizeof(type {})", self.ty(ty)),
            ExprKind::SizeofPack(pack) => format!("sizeof...({})", self.0.text(pack.name)),
            ExprKind::AlignofType(ty) => format!("alignof({})", self.ty(ty)),
            ExprKind::TypeTrait(name, arguments) => {
                format!("trait {}({})", self.0.text(name.name), self.list(arguments, Self::argument))
            }
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::Fold { op, left, right } => {
                let side =
                    |side: &Option<Box<Expr>>| side.as_ref().map_or("...".to_owned(), |side| self.expr(side));
                format!("fold({} {op:?} {})", side(left), side(right))
            }
            ExprKind::PackExpansion(inner) => format!("{}...", self.expr(inner)),
            ExprKind::Noexcept(inner) => format!("noexcept({})", self.expr(inner)),
            ExprKind::Forbidden(word) => format!("forbidden {word}"),
            ExprKind::Error => "error".to_owned(),
        }
    }

    fn lambda(&self, lambda: &Lambda) -> String {
        let mut captures = Vec::new();
        match lambda.default_capture {
            Some(CaptureMode::Value) => captures.push("=".to_owned()),
            Some(CaptureMode::Reference) => captures.push("&".to_owned()),
            None => {}
        }
        for capture in &lambda.captures {
            let mut text = match capture.mode {
                CaptureMode::Reference if capture.name.is_some() => "&".to_owned(),
                CaptureMode::Value if capture.name.is_none() => "*".to_owned(),
                _ => String::new(),
            };
            text.push_str(capture.name.map_or("this", |name| self.0.text(name.name)));
            if let Some(value) = &capture.initializer {
                let _ = write!(text, " = {}", self.expr(value));
            }
            captures.push(text);
        }
        format!(
            "lambda [{}]({}) -> {} {}",
            captures.join(", "),
            self.parameters(&lambda.signature.parameters),
            self.ty(&lambda.signature.result),
            self.stmt(&lambda.body)
        )
    }

    pub(super) fn stmt(&self, stmt: &Stmt) -> String {
        let hint = |hint: &Option<UnrollHint>| match hint {
            None => String::new(),
            Some(UnrollHint::Full) => "unroll ".to_owned(),
            Some(UnrollHint::Count(count)) => format!("unroll({}) ", self.expr(count)),
            Some(UnrollHint::Disable) => "nounroll ".to_owned(),
            Some(UnrollHint::None) => "hint ".to_owned(),
        };
        let condition = |condition: &Condition| match condition {
            Condition::Expr(value) => self.expr(value),
            Condition::Variable(variable) => self.variable(variable),
        };
        let boxed = |stmt: &Option<Box<Stmt>>| stmt.as_ref().map_or(";".to_owned(), |stmt| self.stmt(stmt));
        let text = match &stmt.kind {
            StmtKind::Block(body) => {
                let body: Vec<String> = body.iter().map(|stmt| self.stmt(stmt)).collect();
                if body.is_empty() { "{ }".to_owned() } else { format!("{{ {} }}", body.join(" ")) }
            }
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Expr(value) => format!("{};", self.expr(value)),
            StmtKind::Empty => ";".to_owned(),
            StmtKind::If { is_constexpr, initializer, condition: test, then, otherwise } => {
                let mut text = String::from(if *is_constexpr { "if constexpr (" } else { "if (" });
                if let Some(initializer) = initializer {
                    let _ = write!(text, "{} ", self.stmt(initializer));
                }
                let _ = write!(text, "{}) {}", condition(test), self.stmt(then));
                if let Some(otherwise) = otherwise {
                    let _ = write!(text, " else {}", self.stmt(otherwise));
                }
                text
            }
            StmtKind::While { condition: test, body, hint: unroll } => {
                format!("{}while ({}) {}", hint(unroll), condition(test), self.stmt(body))
            }
            StmtKind::DoWhile { body, condition, hint: unroll } => {
                format!("{}do {} while ({});", hint(unroll), self.stmt(body), self.expr(condition))
            }
            StmtKind::For { initializer, condition: test, step, body, hint: unroll } => format!(
                "{}for ({} {}; {}) {}",
                hint(unroll),
                boxed(initializer),
                test.as_ref().map_or(String::new(), condition),
                step.as_ref().map_or(String::new(), |step| self.expr(step)),
                self.stmt(body)
            ),
            StmtKind::RangeFor { variable, range, body, hint: unroll } => format!(
                "{}for ({} : {}) {}",
                hint(unroll),
                self.variable(variable),
                self.expr(range),
                self.stmt(body)
            ),
            StmtKind::Switch { condition: test, body, .. } => {
                format!("switch ({}) {}", condition(test), self.stmt(body))
            }
            StmtKind::Case { value, range_end, body } => match range_end {
                Some(end) => format!("case {}...{}: {}", self.expr(value), self.expr(end), self.stmt(body)),
                None => format!("case {}: {}", self.expr(value), self.stmt(body)),
            },
            StmtKind::Default(body) => format!("default: {}", self.stmt(body)),
            StmtKind::Break => "break;".to_owned(),
            StmtKind::Continue => "continue;".to_owned(),
            StmtKind::Return(None) => "return;".to_owned(),
            StmtKind::Return(Some(value)) => format!("return {};", self.expr(value)),
            StmtKind::Goto(label) => format!("goto {};", self.0.text(label.name)),
            StmtKind::Label(label, body) => format!("{}: {}", self.0.text(label.name), self.stmt(body)),
            StmtKind::Pragma(pragma) => format!("{pragma:?};"),
            StmtKind::Error => "error;".to_owned(),
        };
        self.attributes(&stmt.attributes) + &text
    }
}
