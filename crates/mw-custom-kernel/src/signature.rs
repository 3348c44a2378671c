//! The text around the user's body: name, template head, parameters, instantiation.

use std::fmt::Write as _;
use std::ops::Range;

use crate::definition::{CallArguments, Definition, InputKind};
use crate::dtype::TemplateArg;

/// Arrays of fewer elements are bound as `constant`.
const DEVICE_FROM_ELEMENTS: usize = 8;

/// Which facts about an input's shape the body names. They are looked for as text, in the body alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Injected {
    /// `<input>_shape`: one `int` for each axis.
    pub shape: bool,
    /// `<input>_strides`: one `int64_t` for each axis, in elements.
    pub strides: bool,
    /// `<input>_ndim`: the number of axes.
    pub ndim: bool,
}

impl Injected {
    /// What the body names of an input.
    pub fn of(body: &str, input: &str) -> Self {
        let has = |suffix: &str| body.contains(&format!("{input}{suffix}"));
        Self { shape: has("_shape"), strides: has("_strides"), ndim: has("_ndim") }
    }
}

/// Built-in values that a body may name, in the order in which they are declared. Looked for as text too: a body
/// that names `dispatch_threads_per_threadgroup` gets `threads_per_threadgroup` as well.
const BUILTINS: [(&str, &str); 20] = [
    ("uint", "dispatch_quadgroups_per_threadgroup"),
    ("uint", "dispatch_simdgroups_per_threadgroup"),
    ("uint3", "dispatch_threads_per_threadgroup"),
    ("uint3", "grid_origin"),
    ("uint3", "grid_size"),
    ("uint", "quadgroup_index_in_threadgroup"),
    ("uint", "quadgroups_per_threadgroup"),
    ("uint", "simdgroup_index_in_threadgroup"),
    ("uint", "simdgroups_per_threadgroup"),
    ("uint", "thread_execution_width"),
    ("uint", "thread_index_in_quadgroup"),
    ("uint", "thread_index_in_simdgroup"),
    ("uint", "thread_index_in_threadgroup"),
    ("uint3", "thread_position_in_grid"),
    ("uint3", "thread_position_in_threadgroup"),
    ("uint3", "threadgroup_position_in_grid"),
    ("uint3", "threadgroups_per_grid"),
    ("uint3", "threads_per_grid"),
    ("uint", "threads_per_simdgroup"),
    ("uint3", "threads_per_threadgroup"),
];

impl InputKind {
    fn is_scalar(self) -> bool {
        self.ndim == 0
    }

    fn is_small(self) -> bool {
        self.size < DEVICE_FROM_ELEMENTS
    }
}

/// The name of the instantiation: it tells types, template values and the way inputs are bound apart.
pub(crate) fn mangled_name(definition: &Definition, arguments: &CallArguments<'_>) -> String {
    let mut name = format!("custom_kernel_{}", definition.name);
    if !arguments.template.is_empty() {
        name.push('_');
        for (_, value) in arguments.template {
            // A sign cannot stand in a name.
            write!(name, "_{}", value.to_string().replace('-', "_")).expect("writing to a string");
        }
    }
    for input in arguments.inputs {
        write!(name, "_{}", input.dtype.metal_name()).expect("writing to a string");
        if input.is_scalar() {
            name.push('s');
        } else if input.is_small() {
            name.push('c');
        }
    }
    for output in arguments.outputs {
        write!(name, "_{}", output.metal_name()).expect("writing to a string");
    }
    name
}

/// The whole text, and where in it the header ends and the body lies.
pub(crate) fn whole_text(
    definition: &Definition,
    injected: &[Injected],
    arguments: &CallArguments<'_>,
    name: &str,
) -> (String, usize, Range<usize>) {
    let mut text = definition.header.clone();
    let header_end = text.len();
    if !arguments.template.is_empty() {
        let parameters = joined(arguments.template, |(parameter, value)| {
            format!("{} {parameter}", value.parameter_kind())
        });
        writeln!(text, "template <{parameters}>").expect("writing to a string");
    }
    writeln!(text, "[[kernel]] void {name}(").expect("writing to a string");
    for (index, line) in parameters(definition, injected, arguments).iter().enumerate() {
        text.push_str(if index == 0 { "  " } else { ",\n  " });
        text.push_str(line);
    }
    text.push_str(") {\n");
    let body_start = text.len();
    text.push_str(&definition.source);
    let body = body_start..text.len();
    text.push_str("\n}\n");
    if !arguments.template.is_empty() {
        let values = joined(arguments.template, |(_, value)| value.to_string());
        writeln!(
            text,
            "\ntemplate [[host_name(\"{name}\")]] [[kernel]] decltype({name}<{values}>) {name}<{values}>;"
        )
        .expect("writing to a string");
    }
    (text, header_end, body)
}

fn parameters(definition: &Definition, injected: &[Injected], arguments: &CallArguments<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut index = 0;
    let mut buffer = |lines: &mut Vec<String>, declaration: String| {
        lines.push(format!("{declaration} [[buffer({index})]]"));
        index += 1;
    };
    for ((name, input), injected) in definition.input_names.iter().zip(arguments.inputs).zip(injected) {
        let space = if input.is_small() { "constant" } else { "device" };
        let sign = if input.is_scalar() { '&' } else { '*' };
        buffer(&mut lines, format!("const {space} {}{sign} {name}", input.dtype.metal_name()));
        if input.is_scalar() {
            continue;
        }
        if injected.shape {
            buffer(&mut lines, format!("const constant int* {name}_shape"));
        }
        if injected.strides {
            buffer(&mut lines, format!("const constant int64_t* {name}_strides"));
        }
        if injected.ndim {
            buffer(&mut lines, format!("const constant int& {name}_ndim"));
        }
    }
    for (name, output) in definition.output_names.iter().zip(arguments.outputs) {
        let element = output.metal_name();
        let declaration = if definition.atomic_outputs {
            format!("device atomic<{element}>* {name}")
        } else {
            format!("device {element}* {name}")
        };
        buffer(&mut lines, declaration);
    }
    for (kind, builtin) in BUILTINS {
        if definition.source.contains(builtin) {
            lines.push(format!("{kind} {builtin} [[{builtin}]]"));
        }
    }
    lines
}

fn joined(template: &[(String, TemplateArg)], one: impl FnMut(&(String, TemplateArg)) -> String) -> String {
    template.iter().map(one).collect::<Vec<_>>().join(", ")
}
