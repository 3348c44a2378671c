//! MLX's kernels, instantiated anew: from the names in Apple's library to sources that instantiate the
//! templates of MLX's headers under these names. The table is `instances.toml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use regex::{Captures, Regex};
use serde::Deserialize;

const TABLE: &str = include_str!("instances.toml");

/// Where the headers are, below the include folder.
const HEADERS: &str = "mlx/backend/metal/kernels";

/// A source that instantiates kernels.
pub(crate) struct Source {
    /// Name of the group.
    pub(crate) name: String,
    /// Metal.
    pub(crate) text: String,
    /// The kernels.
    pub(crate) kernels: Vec<String>,
}

#[derive(Deserialize)]
struct Table {
    group: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    name: String,
    headers: Vec<String>,
    /// Pattern and template.
    rows: Vec<(String, String)>,
}

/// Type names in kernel names, and how Metal spells them.
const TYPES: [(&str, &str); 20] = [
    ("complex64_t", "complex64_t"),
    ("complex64", "complex64_t"),
    ("bfloat16_t", "bfloat16_t"),
    ("bfloat16", "bfloat16_t"),
    ("float16_t", "half"),
    ("float16", "half"),
    ("float32", "float"),
    ("float", "float"),
    ("bool_", "bool"),
    ("uint16", "uint16_t"),
    ("uint32", "uint32_t"),
    ("uint64", "uint64_t"),
    ("uint8", "uint8_t"),
    ("int16", "int16_t"),
    ("int32", "int32_t"),
    ("int64", "int64_t"),
    ("int8", "int8_t"),
    ("bool", "bool"),
    ("nomask", "nomask_t"),
    ("half", "half"),
];

/// Sources for all names that the table knows, and the names that it does not.
pub(crate) fn sources(names: &[String]) -> Result<(Vec<Source>, Vec<String>)> {
    let table: Table = toml::from_str(TABLE).context("instances.toml")?;
    let mut sources: Vec<Source> = Vec::new();
    let mut rows = Vec::new();
    for (place, group) in table.group.iter().enumerate() {
        let mut text = String::new();
        for header in &group.headers {
            writeln!(text, "#include \"{HEADERS}/{header}\"")?;
        }
        text.push_str("using namespace metal;\nusing namespace mlx::steel;\n");
        if !group.headers.iter().any(|header| header.starts_with("steel")) {
            text = text.replace("using namespace mlx::steel;\n", "");
        }
        sources.push(Source { name: group.name.clone(), text, kernels: Vec::new() });
        for (pattern, template) in &group.rows {
            rows.push((place, compile(pattern)?, template));
        }
    }
    let mut unknown = Vec::new();
    for name in names {
        let found = rows.iter().find_map(|(place, pattern, template)| {
            pattern.captures(name).map(|captures| (*place, pattern, captures, *template))
        });
        let Some((place, pattern, captures, template)) = found else {
            unknown.push(name.clone());
            continue;
        };
        let source = &mut sources[place];
        source.kernels.push(name.clone());
        // A kernel that is no template is there without more.
        if template.is_empty() {
            continue;
        }
        let instance = fill(template, &values(pattern, &captures))
            .with_context(|| format!("the row of `{name}`: `{template}`"))?;
        writeln!(
            source.text,
            "template [[host_name(\"{name}\")]] [[kernel]] decltype({instance}) {instance};"
        )?;
    }
    sources.retain(|source| !source.kernels.is_empty());
    Ok((sources, unknown))
}

/// A row's pattern as a regular expression.
fn compile(pattern: &str) -> Result<Regex> {
    const MARKS: [(&str, &str, &str); 9] = [
        ("T", "T", TYPE),
        ("F", "F", "float2|float|complex32_t|half2|half"),
        ("M", "M", "nomask|bool_|float32|float16|bfloat16"),
        ("op", "op", "[A-Z][A-Za-z0-9]*?"),
        ("compare", "op", "Equal|NaNEqual|NotEqual|Greater|GreaterEqual|Less|LessEqual|LogicalAnd|LogicalOr"),
        ("reduce", "reduce", "and|or|sum|prod|min|max"),
        ("scan", "scan", "sum|prod|min|max|logaddexp"),
        ("n", "n", r"\d+"),
        ("mode", "mode", "mxfp4|mxfp8|nvfp4"),
    ];
    let mark = Regex::new(r"<([A-Za-z]+)(?::([A-Za-z]+))?>")?;
    let text = mark.replace_all(pattern, |found: &Captures<'_>| {
        match MARKS.iter().find(|(mark, ..)| *mark == &found[1]) {
            // `<T:U>` captures under another name.
            Some((_, name, body)) => {
                format!("(?P<{}>{body})", found.get(2).map_or(*name, |other| other.as_str()))
            }
            None => found[0].to_owned(),
        }
    });
    Regex::new(&format!("^{text}$")).with_context(|| format!("the pattern `{pattern}`"))
}

const TYPE: &str = "complex64_t|complex64|bfloat16_t|bfloat16|float16_t|float16|float32|float|bool_|uint16|\
     uint32|uint64|uint8|int16|int32|int64|int8|bool|half";

/// What a name says, spelled for a template.
fn values(pattern: &Regex, captures: &Captures<'_>) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for name in pattern.capture_names().flatten() {
        let text = captures.name(name).map_or("", |found| found.as_str());
        let is_type = name.len() == 1 && name.starts_with(|letter: char| letter.is_ascii_uppercase());
        let spelled = TYPES.iter().find(|(known, _)| is_type && *known == text).map(|(_, metal)| *metal);
        let value = match name {
            "reduce" | "scan" => capital(text),
            _ => spelled.unwrap_or(text).to_owned(),
        };
        values.insert(name.to_owned(), value);
    }
    // What a reduction gives: sums and products are widened, conjunctions are booleans.
    if let (Some(op), Some(ty)) = (values.get("reduce"), values.get("T")) {
        let result = match (op.as_str(), ty.as_str()) {
            ("And" | "Or", _) => "bool",
            ("Sum" | "Prod", "bool" | "int8_t" | "int16_t" | "uint8_t") => "int32_t",
            ("Sum" | "Prod", "uint16_t") => "uint32_t",
            _ => ty,
        };
        values.insert("R".to_owned(), result.to_owned());
    }
    values
}

fn capital(text: &str) -> String {
    let (first, rest) = text.split_at(text.len().min(1));
    first.to_ascii_uppercase() + rest
}

/// Replaces `{x}` and `{x=v,w?a:b}`; an alternative `$y` is a value.
fn fill(template: &str, values: &BTreeMap<String, String>) -> Result<String> {
    let get = |name: &str| values.get(name).with_context(|| format!("there is no `{name}`"));
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let (inner, after) = after.split_once('}').context("a brace is not closed")?;
        match inner.split_once('=') {
            None => out.push_str(get(inner)?),
            Some((name, choice)) => {
                let (wanted, choice) = choice.split_once('?').context("a choice without `?`")?;
                let (yes, no) = choice.split_once(':').context("a choice without `:`")?;
                let value = get(name)?;
                let chosen = if wanted.split(',').any(|wanted| wanted == value) { yes } else { no };
                match chosen.strip_prefix('$') {
                    Some(name) => out.push_str(get(name)?),
                    None => out.push_str(chosen),
                }
            }
        }
        rest = after;
    }
    Ok(out + rest)
}

#[cfg(test)]
mod tests {
    use super::sources;

    fn instance(name: &str) -> String {
        let (sources, unknown) = sources(&[name.to_owned()]).expect("the table can be read");
        assert!(unknown.is_empty(), "no row for {name}");
        let line = sources[0].text.lines().last().expect("a line").to_owned();
        line.split_once("decltype(")
            .and_then(|(_, rest)| rest.split_once(") "))
            .expect("an instance")
            .0
            .to_owned()
    }

    #[test]
    fn names_become_instances() {
        for (name, expected) in [
            ("vn_BitwiseInvertuint8uint8", "unary_v<uint8_t, uint8_t, BitwiseInvert>"),
            ("g2large_NotEqualbfloat16", "binary_g_nd2<bfloat16_t, bool, NotEqual>"),
            ("vv_Log2float32", "binary_vv<float, float, Log2, 1>"),
            ("sv2_Selectbool_", "ternary_v2<bool, Select, true, false>"),
            ("ggn2_dynamic_copycomplex64bool_", "copy_gg_dynamic<complex64_t, bool, 2, int>"),
            (
                "contig_scan_reverse_exclusive_sum_bool__int32",
                "contiguous_scan<bool, int32_t, CumSum<int32_t>, 4, false, true>",
            ),
            (
                "col_reduce_2pass_large_3_32_16_reduce_produint8",
                "col_reduce_2pass<uint8_t, int32_t, Prod<int32_t>, int64_t, 3, 32, 16>",
            ),
            (
                "implicit_gemm_conv_2d_float16_bm32_bn8_bk16_wm4_wn1_channel_3_filter_l",
                "implicit_gemm_conv_2d<half, 32, 8, 16, 4, 1, 3, false>",
            ),
        ] {
            assert_eq!(instance(name), expected, "{name}");
        }
    }

    #[test]
    fn other_names_are_said() {
        let (sources, unknown) = sources(&["rope_float16".to_owned()]).expect("the table can be read");
        assert!(sources.is_empty());
        assert_eq!(unknown, ["rope_float16"]);
    }
}
