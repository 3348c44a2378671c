//! Entry points: their names, and what binds each of their parameters.

use super::lookup::{Found, segment_key};
use super::scope::{Entry, FnId, FnSource, InstId, Param};
use super::{R, Sema};
use crate::ast::{Attribute, ExprKind, FunctionDecl, Stage, TemplateArgumentKind, TypeKind};
use crate::hir::{Access, ArgumentKind, GlobalId, Kernel, KernelArgument};
use crate::types::{AddressSpace, QualType, Scalar, Type};
use mw_diagnostics::registry::semantics as codes;
use mw_diagnostics::{Diagnostic, Severity};
use mw_source::Span;

/// A kernel that was declared or instantiated.
pub(crate) struct PendingKernel<'a> {
    instance: InstId,
    /// The declaration that instantiates it; its attributes count too.
    decl: &'a FunctionDecl,
    name: Option<String>,
    span: Span,
}

/// What a parameter tells of the grid: a vector of up to three, or one number.
const GRID: &[&str] = &[
    "thread_position_in_grid",
    "thread_position_in_threadgroup",
    "threadgroup_position_in_grid",
    "threads_per_grid",
    "threads_per_threadgroup",
    "threadgroups_per_grid",
    "dispatch_threads_per_threadgroup",
    "grid_origin",
    "grid_size",
];

/// What a parameter tells as one number.
const INDICES: &[&str] = &[
    "thread_index_in_threadgroup",
    "thread_index_in_simdgroup",
    "simdgroup_index_in_threadgroup",
    "simdgroups_per_threadgroup",
    "dispatch_simdgroups_per_threadgroup",
    "threads_per_simdgroup",
    "thread_execution_width",
    "thread_index_in_quadgroup",
    "quadgroup_index_in_threadgroup",
    "quadgroups_per_threadgroup",
    "dispatch_quadgroups_per_threadgroup",
];

/// Whether what a parameter points to is a plain name, such as that of a template's parameter.
fn spells_no_arguments(ty: &crate::ast::Type) -> bool {
    match &ty.kind {
        TypeKind::Pointer(inner) | TypeKind::LvalueReference(inner) | TypeKind::Array(inner, _) => {
            spells_no_arguments(inner)
        }
        TypeKind::Named(name) => name.last.arguments.is_none(),
        _ => false,
    }
}

impl<'a> Sema<'a> {
    /// Is it a kernel, or a visible function?
    pub(crate) fn is_entry_point(&self, decl: &FunctionDecl) -> bool {
        decl.specifiers.stage.is_some() || self.has_stage(&decl.attributes)
    }

    /// Does only the host start it?
    pub(crate) fn is_kernel(&self, decl: &FunctionDecl) -> bool {
        let stage = decl
            .specifiers
            .stage
            .or_else(|| decl.attributes.iter().find_map(|attribute| self.stage_of(attribute)));
        matches!(stage, Some(Stage::Kernel | Stage::Vertex | Stage::Fragment))
    }

    pub(crate) fn has_stage(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| self.stage_of(attribute).is_some())
    }

    fn stage_of(&self, attribute: &Attribute) -> Option<Stage> {
        Some(match self.text(attribute.name.name) {
            "kernel" => Stage::Kernel,
            "vertex" => Stage::Vertex,
            "fragment" => Stage::Fragment,
            "visible" => Stage::Visible,
            "intersection" => Stage::Intersection,
            "object" => Stage::Object,
            "mesh" => Stage::Mesh,
            _ => return None,
        })
    }

    /// `[[host_name("x")]]`
    pub(crate) fn host_name(&self, attributes: &[Attribute]) -> Option<String> {
        attributes.iter().find_map(|attribute| {
            if self.text(attribute.name.name) != "host_name" {
                return None;
            }
            match &attribute.arguments.first()?.kind {
                TemplateArgumentKind::Expr(expr) => match &expr.kind {
                    ExprKind::String(text) => Some(text.to_string()),
                    _ => None,
                },
                TemplateArgumentKind::Type(_) => None,
            }
        })
    }

    /// Notes an entry point: its arguments are bound when all is declared.
    pub(crate) fn add_kernel(
        &mut self,
        id: FnId,
        instance: Option<InstId>,
        decl: &'a FunctionDecl,
        host_name: Option<String>,
        span: Span,
    ) {
        let instance = match instance {
            Some(instance) => instance,
            None => match self.plain_instance(id) {
                Ok(instance) => instance,
                Err(_) => return,
            },
        };
        let name = host_name.or_else(|| self.host_name(&decl.attributes));
        self.pending_kernels.push(PendingKernel { instance, decl, name, span });
    }

    /// Binds the arguments of all entry points and asks for their bodies.
    pub(crate) fn finish_kernels(&mut self) {
        for pending in std::mem::take(&mut self.pending_kernels) {
            let _ = self.finish_kernel(&pending);
        }
    }

    fn finish_kernel(&mut self, pending: &PendingKernel<'a>) -> R<()> {
        let entity = self.instance(pending.instance).entity;
        let FnSource::Declared(declared) = self.function(entity).source else { return Ok(()) };
        let stage = declared
            .specifiers
            .stage
            .or(pending.decl.specifiers.stage)
            .or_else(|| {
                declared.attributes.iter().chain(&pending.decl.attributes).find_map(|a| self.stage_of(a))
            })
            .unwrap_or(Stage::Kernel);
        let is_visible = match stage {
            Stage::Kernel => false,
            Stage::Visible => true,
            _ => {
                return self.fail(|_| {
                    Diagnostic::new(
                        &codes::UNSUPPORTED,
                        declared.name.span,
                        "graphics stages are not supported: only kernels are compiled",
                    )
                });
            }
        };
        let function = self.need_function(pending.instance, pending.span);
        let name = match &pending.name {
            Some(name) => name.clone(),
            None if self.instance(pending.instance).args.is_empty() => {
                self.function_base_name(pending.instance)
            }
            None => self.program.function(function).air_name.clone(),
        };
        if let Some(other) = self.program.kernels.iter().find(|kernel| kernel.name == name) {
            let before = other.span;
            return self.fail(|_| {
                Diagnostic::new(&codes::REDEFINED, pending.span, format!("two kernels are called `{name}`"))
                    .with_label(before, "the first one")
            });
        }
        if let Some(result) = self.instance(pending.instance).result
            && !is_visible
            && result.ty != self.t.void
        {
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::INVALID_DECLARATION,
                    declared.name.span,
                    format!("kernel `{name}` returns a value"),
                )
                .note("a kernel returns `void` (MSL specification, \"Functions\")")
                .help("write the result into a `device` buffer")
            });
        }
        let parameters = self.instance(pending.instance).parameters.clone();
        let scope = self.instance(pending.instance).scope;
        let arguments = if is_visible {
            Vec::new()
        } else {
            self.skips_body = false;
            let arguments = self.within(scope, |s| s.kernel_arguments(&parameters, pending.decl));
            if std::mem::take(&mut self.skips_body) {
                self.instances[pending.instance.0 as usize].state = super::scope::BodyState::Done;
            }
            arguments?
        };
        self.warn_of_kernel_attributes(&declared.attributes);
        let mut max_threads = None;
        for attribute in declared.attributes.iter().chain(&pending.decl.attributes) {
            if self.text(attribute.name.name) == "max_total_threads_per_threadgroup"
                && let Some(argument) = attribute.arguments.first()
            {
                let count = self.within(scope, |s| s.value_argument(argument))?;
                if !(1..=1024).contains(&count) {
                    return self.error(
                        &codes::INVALID_ATTRIBUTE,
                        argument.span,
                        format!("a threadgroup has 1 to 1024 threads, not {count}"),
                    );
                }
                max_threads = Some(count as u32);
            }
        }
        self.program.kernels.push(Kernel {
            name,
            function,
            arguments,
            max_total_threads_per_threadgroup: max_threads,
            is_visible,
            span: pending.span,
        });
        Ok(())
    }

    fn kernel_arguments(
        &mut self,
        parameters: &[Param<'a>],
        instantiation: &'a FunctionDecl,
    ) -> R<Vec<KernelArgument>> {
        let mut arguments = Vec::with_capacity(parameters.len());
        let mut failed = false;
        // Numbered buffers first: the others take the free numbers in order.
        let mut used_buffers = Vec::new();
        let mut used_threadgroup = Vec::new();
        let mut first_uses: Vec<(&str, u32, Span)> = Vec::new();
        let mut numbers = Vec::new();
        for param in parameters {
            let attributes = self.parameter_attributes(param, instantiation);
            let number = |s: &mut Self, name: &str| -> R<Option<u32>> {
                for attribute in &attributes {
                    if s.text(attribute.name.name) == name
                        && let Some(argument) = attribute.arguments.first()
                    {
                        let value = s.value_argument(argument)?;
                        if !(0..=30).contains(&value) {
                            return s.fail(|_| {
                                Diagnostic::new(&codes::INVALID_ATTRIBUTE, argument.span, format!("there is no {name} number {value}"))
                                    .note("a kernel has 31 buffers, 0 to 30 (MSL specification, \"Attributes for Arguments\")")
                            });
                        }
                        return Ok(Some(value as u32));
                    }
                }
                Ok(None)
            };
            let buffer = number(self, "buffer")?;
            let threadgroup = number(self, "threadgroup")?;
            let is_gated =
                attributes.iter().any(|attribute| self.text(attribute.name.name) == "function_constant");
            // Arguments that function constants switch on and off may share a number.
            for (kind, index, used) in
                [("buffer", buffer, &used_buffers), ("threadgroup", threadgroup, &used_threadgroup)]
            {
                if let Some(index) = index
                    && !is_gated
                    && used.contains(&index)
                {
                    let named = |s: &Self, attribute: &&Attribute| s.text(attribute.name.name) == kind;
                    let span = attributes
                        .iter()
                        .find(|attribute| named(self, attribute))
                        .map_or(param.decl.span, |attribute| attribute.span);
                    let first =
                        first_uses.iter().find(|(other, number, _)| *other == kind && *number == index);
                    let first = first.map(|(_, _, span)| *span);
                    return self.fail(|_| {
                        let diagnostic = Diagnostic::new(
                            &codes::INVALID_ATTRIBUTE,
                            span,
                            format!("{kind} number {index} is bound to two arguments"),
                        );
                        match first {
                            Some(first) => diagnostic.with_label(first, "the first one"),
                            None => diagnostic,
                        }
                        .note("each argument has a number of its own (MSL specification, \"Attributes for Arguments\")")
                        .help(format!("give this one another number, or leave `[[{kind}({index})]]` away"))
                    });
                }
            }
            for attribute in &attributes {
                match self.text(attribute.name.name) {
                    "buffer" => first_uses.extend(buffer.map(|index| ("buffer", index, attribute.span))),
                    "threadgroup" => {
                        first_uses.extend(threadgroup.map(|index| ("threadgroup", index, attribute.span)));
                    }
                    _ => {}
                }
            }
            used_buffers.extend(buffer);
            used_threadgroup.extend(threadgroup);
            numbers.push((buffer, threadgroup));
        }
        for (param, (buffer, threadgroup)) in parameters.iter().zip(numbers) {
            match self.kernel_argument(
                param,
                instantiation,
                buffer,
                threadgroup,
                &mut used_buffers,
                &mut used_threadgroup,
            ) {
                Ok(argument) => arguments.push(argument),
                Err(_) => failed = true,
            }
        }
        if failed { Err(super::Failed) } else { Ok(arguments) }
    }

    fn parameter_attributes(&self, param: &Param<'a>, instantiation: &'a FunctionDecl) -> Vec<&'a Attribute> {
        let mut attributes: Vec<&'a Attribute> = param.decl.attributes.iter().collect();
        if let Some(decl) = instantiation.parameters.parameters.get(param.source as usize)
            && !std::ptr::eq(decl, param.decl)
        {
            attributes.extend(decl.attributes.iter());
        }
        attributes
    }

    fn kernel_argument(
        &mut self,
        param: &Param<'a>,
        instantiation: &'a FunctionDecl,
        buffer: Option<u32>,
        threadgroup: Option<u32>,
        used_buffers: &mut Vec<u32>,
        used_threadgroup: &mut Vec<u32>,
    ) -> R<KernelArgument> {
        let attributes = self.parameter_attributes(param, instantiation);
        let span = param.decl.name.map_or(param.decl.span, |name| name.span);
        let name = param.name.map_or_else(String::new, |name| self.text(name).to_owned());
        let gate = self.gate(&attributes)?;
        let free = |used: &mut Vec<u32>| {
            let index = (0..1 << 16).find(|index| !used.contains(index)).unwrap_or(0);
            used.push(index);
            index
        };
        let (kind, shown) = match *self.ty(param.ty.ty) {
            Type::Pointer(target) | Type::Reference { target, .. } => {
                let kind = match target.space {
                    AddressSpace::Device | AddressSpace::Constant if threadgroup.is_some() => {
                        return self.fail(|_| {
                            Diagnostic::new(
                                &codes::INVALID_ATTRIBUTE,
                                span,
                                format!("`{name}` is a buffer, no threadgroup memory"),
                            )
                            .help(format!("write `[[buffer({})]]`", threadgroup.unwrap_or(0)))
                        });
                    }
                    AddressSpace::Device | AddressSpace::Constant => {
                        let index = buffer.unwrap_or_else(|| free(used_buffers));
                        let access = if target.is_const || target.space == AddressSpace::Constant {
                            Access::Read
                        } else {
                            Access::ReadWrite
                        };
                        if let Type::Pointer(_) = *self.ty(target.ty) {
                            return self.fail(|_| {
                                Diagnostic::new(
                                    &codes::INVALID_TYPE,
                                    span,
                                    format!("the buffer `{name}` holds pointers"),
                                )
                                .help("put the pointers into a struct (an argument buffer)")
                            });
                        }
                        ArgumentKind::Buffer { index, access }
                    }
                    AddressSpace::Threadgroup if buffer.is_some() => {
                        return self.fail(|_| {
                            Diagnostic::new(
                                &codes::INVALID_ATTRIBUTE,
                                span,
                                format!("`{name}` is threadgroup memory, no buffer"),
                            )
                            .help(format!("write `[[threadgroup({})]]`", buffer.unwrap_or(0)))
                        });
                    }
                    AddressSpace::Threadgroup => ArgumentKind::ThreadgroupMemory {
                        index: threadgroup.unwrap_or_else(|| free(used_threadgroup)),
                    },
                    _ if matches!(self.ty(target.ty), Type::Function { .. }) => {
                        return self.fail(|_| {
                            Diagnostic::new(
                                &codes::KERNEL_PARAMETER,
                                span,
                                format!("the kernel's parameter `{name}` points to a function"),
                            )
                            .note("the host cannot pass functions")
                            .help("make the function a template parameter of the kernel")
                        });
                    }
                    _ if matches!(self.ty(target.ty), Type::Pointer(_)) => {
                        self.skips_body = true;
                        return self.fail(|s| {
                            let inner = s.show(target);
                            Diagnostic::new(
                                &codes::KERNEL_PARAMETER,
                                span,
                                format!("the kernel's parameter `{name}` points to pointers"),
                            )
                            .note("a buffer of pointers is an argument buffer: a struct that holds them (MSL specification, \"Argument Buffers\")")
                            .help(format!("write `struct Arguments {{ {inner}{name}; }};` and take a `device Arguments *`"))
                        });
                    }
                    _ => {
                        return self.fail(|s| {
                            let shown = s.show(QualType::plain(target.ty));
                            Diagnostic::new(
                                &codes::KERNEL_PARAMETER,
                                span,
                                format!("the kernel's parameter `{name}` points to `{}` memory", target.space.name()),
                            )
                            .note("a kernel's pointers and references are to `device`, `constant` or `threadgroup` memory (MSL specification, \"Address Spaces\")")
                            .help(format!("write `device {shown} *{name}`, or `constant {shown} &{name}` for a value"))
                        });
                    }
                };
                (kind, target)
            }
            Type::Opaque(ref opaque) => (ArgumentKind::Unsupported(opaque.to_string()), param.ty),
            Type::Error => return Err(super::Failed),
            _ => (self.builtin_parameter(param, &attributes, &name, span)?, param.ty),
        };
        let type_name = self.reflected_name(param, shown);
        if matches!(self.ty(param.ty.ty), Type::Pointer(_) | Type::Reference { .. }) {
            self.warn_of_attributes(&attributes, kind_of(&kind));
        }
        let is_reference = matches!(self.ty(param.ty.ty), Type::Reference { .. });
        let is_template_parameter = spells_no_arguments(&param.decl.ty);
        let array_length = param.extent;
        Ok(KernelArgument {
            name,
            type_name,
            kind,
            is_reference,
            array_length,
            is_template_parameter,
            gate,
            span,
        })
    }

    /// Attributes that say nothing about a buffer, which compilers of Metal read over.
    fn warn_of_attributes(&mut self, attributes: &[&'a Attribute], expected: &'static str) {
        const KNOWN: &[&str] = &["buffer", "threadgroup", "function_constant", "id"];
        const SILENT: &[&str] =
            &["maybe_unused", "user", "noescape", "texture", "sampler", "color", "stage_in"];
        for attribute in attributes {
            let text = self.text(attribute.name.name);
            if KNOWN.contains(&text) || SILENT.contains(&text) {
                continue;
            }
            let is_of_grid = GRID.contains(&text) || INDICES.contains(&text);
            let mut diagnostic = Diagnostic::new(
                &codes::INVALID_ATTRIBUTE,
                attribute.name.span,
                if is_of_grid {
                    format!("`{text}` is a number, and this parameter is a {expected}")
                } else {
                    format!("a {expected} has no attribute `{text}`")
                },
            );
            if is_of_grid {
                diagnostic = diagnostic.help(format!("declare a parameter of its own: `uint i [[{text}]]`"));
                self.report(diagnostic);
                continue;
            }
            diagnostic.severity = Severity::Warning;
            diagnostic = diagnostic.label("is ignored");
            if let Some(closest) = Self::closest(text, KNOWN.iter().copied()) {
                diagnostic = diagnostic
                    .help(format!("did you mean `{closest}`?"))
                    .with_fix(attribute.name.span, closest.to_owned());
            }
            self.report(diagnostic);
        }
    }

    /// Attributes of a kernel that are almost one that Metal has.
    fn warn_of_kernel_attributes(&mut self, attributes: &'a [Attribute]) {
        const KNOWN: &[&str] = &["max_total_threads_per_threadgroup", "host_name", "kernel"];
        for attribute in attributes {
            let text = self.text(attribute.name.name);
            if KNOWN.contains(&text) || !self.is_user(attribute.name.span) {
                continue;
            }
            if let Some(closest) = Self::closest(text, KNOWN.iter().copied()) {
                let mut diagnostic = Diagnostic::new(
                    &codes::INVALID_ATTRIBUTE,
                    attribute.name.span,
                    format!("a kernel has no attribute `{text}`"),
                )
                .label("is ignored")
                .help(format!("did you mean `{closest}`?"))
                .with_fix(attribute.name.span, closest.to_owned());
                diagnostic.severity = Severity::Warning;
                self.report(diagnostic);
            }
        }
    }

    /// A parameter by value: one of the grid's numbers.
    fn builtin_parameter(
        &mut self,
        param: &Param<'a>,
        attributes: &[&'a Attribute],
        name: &str,
        span: Span,
    ) -> R<ArgumentKind> {
        for attribute in attributes {
            let text = self.text(attribute.name.name);
            let (known, may_be_vector) = match GRID.iter().find(|known| **known == text) {
                Some(known) => (*known, true),
                None => match INDICES.iter().find(|known| **known == text) {
                    Some(known) => (*known, false),
                    None => continue,
                },
            };
            let fits = match self.ty(param.ty.ty) {
                Type::Scalar(Scalar::UInt | Scalar::UShort) => true,
                Type::Vector(Scalar::UInt | Scalar::UShort, 2 | 3) => may_be_vector,
                _ => false,
            };
            if !fits {
                return self.fail(|s| {
                    let shown = s.show(param.ty);
                    let wanted = if may_be_vector {
                        "`uint`, `uint2`, `uint3`, `ushort`, `ushort2` or `ushort3`"
                    } else {
                        "`uint` or `ushort`"
                    };
                    Diagnostic::new(&codes::KERNEL_PARAMETER, span, format!("`{name}` is `{known}` and has type `{shown}`"))
                        .note(format!("its type is {wanted} (MSL specification, \"Attributes for Kernel Function Input Arguments\")"))
                });
            }
            return Ok(ArgumentKind::Builtin(known));
        }
        let unknown = attributes.iter().find(|attribute| {
            !matches!(
                self.text(attribute.name.name),
                "function_constant" | "maybe_unused" | "user" | "buffer" | "threadgroup"
            )
        });
        if let Some(attribute) = unknown {
            let attribute = *attribute;
            return self.fail(|s| {
                let text = s.text(attribute.name.name);
                let mut diagnostic = Diagnostic::new(
                    &codes::INVALID_ATTRIBUTE,
                    attribute.name.span,
                    format!("a kernel's parameter has no attribute `{text}`"),
                );
                if let Some(closest) = Self::closest(text, GRID.iter().chain(INDICES).copied()) {
                    diagnostic = diagnostic
                        .help(format!("did you mean `{closest}`?"))
                        .with_fix(attribute.name.span, closest.to_owned());
                }
                diagnostic
            });
        }
        if param.ty.space != AddressSpace::Thread {
            // What the body does with the pointer that was meant is no mistake.
            self.skips_body = true;
            return self.fail(|s| {
                let (shown, space) = (s.show(QualType::plain(param.ty.ty)), param.ty.space.name());
                Diagnostic::new(
                    &codes::KERNEL_PARAMETER,
                    span,
                    format!("the kernel's parameter `{name}` is a value, no pointer to `{space}` memory"),
                )
                .note("buffers are passed as pointers or references (MSL specification, \"Attributes for Kernel Function Input Arguments\")")
                .help(format!("write `{space} {shown} *{name}`"))
            });
        }
        self.fail(|s| {
            let shown = s.show(QualType::plain(param.ty.ty));
            Diagnostic::new(
                &codes::KERNEL_PARAMETER,
                span,
                format!("nothing says what the kernel's parameter `{name}` holds"),
            )
            .note("values come from buffers or from attributes such as `[[thread_position_in_grid]]`")
            .help(format!("write `constant {shown} &{name}` to pass it in a buffer"))
        })
    }

    /// `[[function_constant(x)]]` of a parameter.
    fn gate(&mut self, attributes: &[&'a Attribute]) -> R<Option<GlobalId>> {
        for attribute in attributes {
            if self.text(attribute.name.name) != "function_constant" {
                continue;
            }
            let name = match attribute.arguments.first().map(|argument| &argument.kind) {
                Some(TemplateArgumentKind::Expr(expr)) => match &expr.kind {
                    ExprKind::Name(name) => Some(name),
                    _ => None,
                },
                Some(TemplateArgumentKind::Type(ty)) => match &ty.kind {
                    TypeKind::Named(name) => Some(name),
                    _ => None,
                },
                None => None,
            };
            let Some(name) = name else {
                return self.error(
                    &codes::INVALID_ATTRIBUTE,
                    attribute.span,
                    "the name of a function constant is missing",
                );
            };
            let inside = self.qualifier(name)?;
            let Some(key) = segment_key(&name.last) else { return Ok(None) };
            let found = match inside {
                None => self.lookup(key),
                Some(inside) => self.lookup_in(inside, key),
            };
            let Found::Entry(Entry::Variable(id)) = found else {
                return self.error(&codes::INVALID_ATTRIBUTE, name.span, "this is no function constant");
            };
            let (global, ty) = self.variable_global(id, name.span)?;
            if ty.ty != self.t.bool {
                return self.error(
                    &codes::INVALID_ATTRIBUTE,
                    name.span,
                    "the function constant that a parameter depends on must be `bool`",
                );
            }
            return Ok(Some(global));
        }
        Ok(None)
    }

    /// Each kernel gets a function of its own name.
    pub(crate) fn name_kernels(&mut self) {
        let mut taken = rustc_hash::FxHashSet::default();
        for at in 0..self.program.kernels.len() {
            let (name, function) = (self.program.kernels[at].name.clone(), self.program.kernels[at].function);
            if taken.insert(function) {
                self.program.functions[function.0 as usize].air_name = name;
                continue;
            }
            let mut copy = self.program.function(function).clone();
            copy.air_name = name;
            let id = crate::hir::FunctionId(self.program.functions.len() as u32);
            self.program.functions.push(copy);
            self.instance_of.push(self.instance_of[function.0 as usize]);
            self.program.kernels[at].function = id;
        }
    }
}

/// What an argument is, for messages.
fn kind_of(kind: &ArgumentKind) -> &'static str {
    match kind {
        ArgumentKind::Buffer { .. } => "buffer",
        ArgumentKind::ThreadgroupMemory { .. } => "pointer to threadgroup memory",
        ArgumentKind::Builtin(_) | ArgumentKind::Unsupported(_) => "parameter",
    }
}
