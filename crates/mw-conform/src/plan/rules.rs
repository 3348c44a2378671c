//! Launch rules: hand-written launches of kernel families, as data (`launches/*.toml`).
//!
//! ```toml
//! [[rule]]
//! kernel = '^rope_single_(freqs_)?(?P<type>\w+)$'   # on the kernel's name; numeric groups become variables
//! let = ["D = 32", "B = 3"]                          # evaluated in order; a case's value replaces the rule's
//! threads = "[D / 2, B, 1]"                          # or `threadgroups`
//! threadgroup = "[D / 2, 1, 1]"
//! args = { offset = "7", stride = "D", freqs = "range(0.5, 2)" }
//! constants = { forward = "1" }
//! case = [{}, { let = ["D = 6"], constants = { forward = "0" }, special = true }]
//! ```
//!
//! An argument is found by name, or by a pattern with `*`. Its value is an expression, a list `[…]`, a table
//! of members for structures, or a generator: `normal`, `special`, `edges`, `bits`, `zeros`, `pattern`,
//! `fill(x)`, `range(low, high)`, `ascending(step, period)`, `bytes(n)` for threadgroup memory. A generator may
//! be followed by `of TYPE`, where TYPE is a type name or a variable that holds one. `pointers(n) GENERATOR of
//! TYPE` makes an argument buffer of n pointers, each to a buffer of its own. A case with `repeat = n` is made
//! n times, with other data and with the variable `turn` counting from 0. What a rule does not name is guessed
//! from its name and type.
//!
//! `library = 'RE'` before the rules says for which library files they are meant; of all files of rules the
//! first that fits is used. A file may have a `let` for all of its rules, a table `members`, which says what
//! members of structures and single numbers are where a rule does not, and `also`, a file whose rules follow. `note = "…"` in a rule explains why its kernels cannot be covered better; reports
//! print it.

use std::collections::BTreeMap;
use std::path::Path;

use mw_air::schema::{ArgRole, FunctionConstant, KernelArg, KernelInfo, StructMember};
use mw_backend::{ConstantValues, Grid};
use regex::Regex;
use serde::Deserialize;

use super::expr::{Number, Variables, evaluate, split_list};
use super::{ArgPlan, Case, Element, Fill, FillKind, generic, mix, stream};

/// A rule that cannot be read, or does not fit a kernel.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum RuleError {
    /// The file is no table of rules.
    #[error("the launch rules cannot be read: {0}")]
    File(String),
    /// A rule's own fault.
    #[error("launch rule `{rule}` for kernel `{kernel}`: {message}")]
    Rule {
        /// The rule's pattern.
        rule: String,
        /// The kernel.
        kernel: String,
        /// What is wrong.
        message: String,
    },
}

/// Rules in order: the first that matches a name holds.
#[derive(Debug, Default)]
pub struct Rules {
    rules: Vec<(Regex, CaseText)>,
    members: BTreeMap<String, String>,
}

/// The files of rules that come with this crate.
const FILES: [(&str, &str); 5] = [
    ("torch", include_str!("../../launches/torch.toml")),
    ("kquant", include_str!("../../launches/kquant.toml")),
    ("ggml", include_str!("../../launches/ggml.toml")),
    ("corpora", include_str!("../../launches/corpora.toml")),
    ("mlx", include_str!("../../launches/mlx.toml")),
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// On the library's path: whether the rules are meant for it.
    #[serde(default)]
    library: String,
    /// Evaluated before the variables of each rule, which may replace them.
    #[serde(default, rename = "let")]
    lets: Vec<String>,
    /// Members of structures, by name: what they are where a rule says nothing of them.
    #[serde(default)]
    members: BTreeMap<String, String>,
    /// Another file, whose rules follow this one's.
    also: Option<String>,
    #[serde(default)]
    rule: Vec<CaseText>,
}

/// A rule, or a case of a rule, which has neither pattern nor cases.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseText {
    #[serde(default)]
    kernel: String,
    #[serde(default)]
    case: Vec<Self>,
    #[serde(default, rename = "let")]
    lets: Vec<String>,
    when: Option<String>,
    threads: Option<String>,
    threadgroups: Option<String>,
    threadgroup: Option<String>,
    #[serde(default)]
    args: BTreeMap<String, Value>,
    #[serde(default)]
    constants: BTreeMap<String, String>,
    /// Inputs hold special values.
    #[serde(default)]
    special: bool,
    /// Inputs hold few different values.
    #[serde(default)]
    edges: bool,
    /// The case is made so many times, each with other data.
    #[serde(default)]
    repeat: usize,
    /// Why kernels of the rule cannot be covered better.
    note: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    Members(BTreeMap<String, String>),
}

impl Rules {
    /// The rules that come with this crate for a library. Whoever writes rules sets `MW_LAUNCHES` to the folder
    /// where they lie, and needs not compile this crate for each try.
    pub fn built_in(library: &Path) -> Result<Self, RuleError> {
        let Some(folder) = std::env::var_os("MW_LAUNCHES") else { return Self::choose(&FILES, library) };
        let mut files = Vec::new();
        for (name, _) in FILES {
            let path = Path::new(&folder).join(name).with_extension("toml");
            let text = std::fs::read_to_string(&path)
                .map_err(|error| RuleError::File(format!("{}: {error}", path.display())))?;
            files.push((name, text));
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
        Self::choose(&files, library)
    }

    /// The first of several files, each with its name, whose pattern fits a library. Files without a pattern
    /// fit all.
    pub fn choose(files: &[(&str, &str)], library: &Path) -> Result<Self, RuleError> {
        for (name, text) in files {
            let error = |message: String| RuleError::File(format!("{name}: {message}"));
            let mut file: File = toml::from_str(text).map_err(|problem| error(problem.to_string()))?;
            let pattern = Regex::new(&file.library)
                .map_err(|problem| error(format!("pattern `{}`: {problem}", file.library)))?;
            if !pattern.is_match(&library.to_string_lossy()) {
                continue;
            }
            if let Some(also) = &file.also {
                let (_, text) = files
                    .iter()
                    .find(|(name, _)| name == also)
                    .ok_or_else(|| error(format!("there is no file `{also}`")))?;
                let other: File = toml::from_str(text).map_err(|problem| error(problem.to_string()))?;
                file.rule.extend(other.rule);
            }
            return Self::compile(file);
        }
        Ok(Self::default())
    }

    /// Reads rules.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        Self::compile(toml::from_str(text).map_err(|error| RuleError::File(error.to_string()))?)
    }

    /// What the rule of a kernel says about its coverage.
    pub fn note(&self, kernel: &str) -> Option<&str> {
        self.rules.iter().find(|(pattern, _)| pattern.is_match(kernel))?.1.note.as_deref()
    }

    fn compile(file: File) -> Result<Self, RuleError> {
        let File { lets, members, rule, .. } = file;
        let compile = |mut rule: CaseText| {
            let known = |line: &str| line.split('=').next().unwrap_or_default().trim().to_owned();
            let (own, mut all) = (std::mem::take(&mut rule.lets), lets.clone());
            for line in own {
                match all.iter_mut().find(|other| known(other) == known(&line)) {
                    Some(other) => *other = line,
                    None => all.push(line),
                }
            }
            rule.lets = all;
            match Regex::new(&rule.kernel) {
                Ok(pattern) => Ok((pattern, rule)),
                Err(error) => Err(RuleError::File(format!("pattern `{}`: {error}", rule.kernel))),
            }
        };
        Ok(Self { rules: rule.into_iter().map(compile).collect::<Result<_, _>>()?, members })
    }

    /// The cases of a kernel; `None` when no rule matches its name.
    pub(super) fn cases(
        &self,
        kernel: &KernelInfo,
        constants: &[FunctionConstant],
        seed: u64,
    ) -> Result<Option<Vec<Case>>, RuleError> {
        let Some((pattern, rule)) = self.rules.iter().find(|(pattern, _)| pattern.is_match(&kernel.name))
        else {
            return Ok(None);
        };
        let variables = name_variables(pattern, kernel);
        let one = [CaseText::default()];
        let texts = if rule.case.is_empty() { &one[..] } else { &rule.case };
        let mut cases = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            for turn in 0..text.repeat.max(1) {
                let seed = mix(seed ^ (index * 1000 + turn) as u64);
                let maker =
                    Maker { common: rule, text, members: &self.members, kernel, constants, index, seed };
                let mut variables = variables.clone();
                variables.insert("turn".into(), Number::Int(turn as i64));
                let case = maker.make(variables).map_err(|message| RuleError::Rule {
                    rule: rule.kernel.clone(),
                    kernel: kernel.name.to_string(),
                    message,
                })?;
                cases.extend(case);
            }
        }
        Ok(Some(cases))
    }
}

/// Groups of the pattern, and what the kernel says about itself.
fn name_variables(pattern: &Regex, kernel: &KernelInfo) -> Variables {
    let mut variables = Variables::new();
    let max = kernel.max_threads_per_threadgroup.unwrap_or(1024);
    variables.insert("max_threads".into(), Number::Int(i64::from(max)));
    if let Some(captures) = pattern.captures(&kernel.name) {
        for name in pattern.capture_names().flatten() {
            // A group that took no part is 0, so that expressions may name it.
            let text = captures.name(name).map_or("0", |group| group.as_str());
            let value = text.parse().map_or_else(|_| Number::Word(text.to_owned()), Number::Int);
            variables.insert(name.to_owned(), value);
        }
    }
    variables
}

struct Maker<'a> {
    common: &'a CaseText,
    text: &'a CaseText,
    members: &'a BTreeMap<String, String>,
    kernel: &'a KernelInfo,
    constants: &'a [FunctionConstant],
    index: usize,
    seed: u64,
}

impl Maker<'_> {
    /// The case; `None` when its `when` does not hold.
    fn make(&self, mut variables: Variables) -> Result<Option<Case>, String> {
        // A case's own value takes the place of the rule's, so that it may use what stands before it there.
        let mut own = Vec::new();
        for line in &self.text.lets {
            own.push(assignment(line)?);
        }
        let mut lines = Vec::new();
        for line in &self.common.lets {
            lines.push(assignment(line)?);
        }
        let (replacing, new): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|(name, _)| lines.iter().any(|(known, _)| known == name));
        for (name, value) in &mut lines {
            if let Some((_, other)) = replacing.iter().find(|(known, _)| known == name) {
                *value = other;
            }
        }
        for (name, value) in new.into_iter().chain(lines) {
            variables.insert(name.into(), evaluate(value, &variables)?);
        }
        for condition in [&self.common.when, &self.text.when].into_iter().flatten() {
            if evaluate(condition, &variables)?.int()? == 0 {
                return Ok(None);
            }
        }
        let args = self
            .kernel
            .args
            .iter()
            .enumerate()
            .map(|(index, arg)| {
                self.argument(index, arg, &variables)
                    .map_err(|error| format!("argument `{}`: {error}", arg.name))
            })
            .collect::<Result<_, String>>()?;
        let turn = variables.get("turn").map_or(0, |turn| turn.int().unwrap_or(0));
        let label = if self.text.repeat > 1 {
            format!("case {}, turn {turn}", self.index)
        } else if self.text.lets.is_empty() && self.text.constants.is_empty() {
            format!("case {}", self.index)
        } else {
            let constants = self.text.constants.iter().map(|(name, value)| format!("{name} = {value}"));
            let parts: Vec<String> = self.text.lets.iter().cloned().chain(constants).collect();
            format!("case {}: {}", self.index, parts.join(", "))
        };
        Ok(Some(Case { label, constants: self.constants(&variables)?, grid: self.grid(&variables)?, args }))
    }

    fn grid(&self, variables: &Variables) -> Result<Grid, String> {
        let size = |text: &str| -> Result<[u32; 3], String> {
            let mut size = [1; 3];
            for (axis, value) in size.iter_mut().zip(list(text, variables)?) {
                let value = value.int()?;
                *axis = u32::try_from(value)
                    .ok()
                    .filter(|value| (1..=1 << 20).contains(value))
                    .ok_or_else(|| format!("a size of {value} in `{text}`"))?;
            }
            Ok(size)
        };
        let pick =
            |get: fn(&CaseText) -> &Option<String>| get(self.text).as_deref().or(get(self.common).as_deref());
        let threadgroup = size(pick(|text| &text.threadgroup).unwrap_or("[min(max_threads, 128), 1, 1]"))?;
        let total: u64 = threadgroup.iter().map(|size| u64::from(*size)).product();
        let max = u64::from(self.kernel.max_threads_per_threadgroup.unwrap_or(1024));
        if total > max {
            return Err(format!("a threadgroup of {total} threads, of which the kernel allows {max}"));
        }
        // A case's own size wins over the rule's, whichever way it counts.
        let own = self.text.threads.is_some() || self.text.threadgroups.is_some();
        let from = if own { self.text } else { self.common };
        match (&from.threads, &from.threadgroups) {
            (Some(threads), _) => Ok(Grid::of_threads(size(threads)?, threadgroup)),
            (None, Some(threadgroups)) => Ok(Grid::of_threadgroups(size(threadgroups)?, threadgroup)),
            (None, None) => Ok(Grid::of_threadgroups([2, 1, 1], threadgroup)),
        }
    }

    fn constants(&self, variables: &Variables) -> Result<ConstantValues, String> {
        let mut values = generic::constant_values(self.constants, self.index);
        for constant in self.constants {
            let text =
                find(&self.text.constants, &constant.name).or(find(&self.common.constants, &constant.name));
            if let Some(text) = text {
                let element = Element::of_type(&constant.type_name, None);
                let bytes = element_bytes(element, &evaluate(text, variables)?)?;
                values.set(constant.index, element.bits(&bytes), element.size() as u8);
            }
        }
        Ok(values)
    }

    fn argument(&self, index: usize, arg: &KernelArg, variables: &Variables) -> Result<ArgPlan, String> {
        let stream = stream(self.seed, index);
        let data = match (self.text.special || self.common.special, self.text.edges || self.common.edges) {
            (_, true) => FillKind::Edges,
            (true, false) => FillKind::Special,
            (false, false) => FillKind::Normal,
        };
        let round = generic::Round { data, ..generic::round(self.index) };
        let guess = generic::argument(arg, &round, stream);
        let (ArgRole::Buffer(buffer) | ArgRole::IndirectBuffer(buffer)) = &arg.role else { return Ok(guess) };
        let value = find(&self.text.args, &arg.name).or(find(&self.common.args, &arg.name));
        if let (ArgPlan::Exact { bytes, element }, false, None | Some(Value::Members(_))) =
            (&guess, self.members.is_empty() || buffer.members.is_empty(), value)
        {
            let mut bytes = bytes.clone();
            let none = BTreeMap::new();
            let table = |value: Option<&'_ Value>| match value {
                Some(Value::Members(members)) => members.clone(),
                _ => none.clone(),
            };
            let own = table(find(&self.text.args, &arg.name));
            let common = table(find(&self.common.args, &arg.name));
            let mut defaults = self.members.clone();
            defaults.retain(|name, _| buffer.members.iter().any(|member| &*member.name == name));
            structure(&buffer.members, &[&own, &common, &defaults], variables, &mut bytes)?;
            return Ok(ArgPlan::Exact { bytes, element: *element });
        }
        let by_name =
            self.members.get(&*arg.name).filter(|_| buffer.size.is_some() && buffer.members.is_empty());
        if let (None, Some(text)) = (value, by_name) {
            let element = Element::of_type(&arg.type_name, buffer.type_size);
            return Ok(ArgPlan::Exact {
                bytes: element_bytes(element, &evaluate(text, variables)?)?,
                element,
            });
        }
        let Some(value) = value else { return Ok(guess) };
        let element = Element::of_type(&arg.type_name, buffer.type_size);
        let text = match value {
            Value::Members(members) => {
                // A case that names some members keeps the rule's others.
                let base = match find(&self.common.args, &arg.name) {
                    Some(Value::Members(base)) => base,
                    _ => members,
                };
                let mut bytes = vec![0; buffer.type_size.unwrap_or(0) as usize];
                structure(&buffer.members, &[members, base], variables, &mut bytes)?;
                return Ok(ArgPlan::Exact { bytes, element });
            }
            Value::Text(text) => text.trim(),
        };
        if let Some(size) = text.strip_prefix("bytes(").and_then(|rest| rest.strip_suffix(')')) {
            let size = evaluate(size, variables)?.int()?;
            return Ok(ArgPlan::Threadgroup(u32::try_from(size).map_err(|_| format!("{size} bytes"))?));
        }
        // `GENERATOR of TYPE`, for buffers whose type says nothing.
        let (text, element) = match text.rsplit_once(" of ") {
            Some((text, ty)) => (text.trim(), Element::of_type(&word(ty.trim(), variables), None)),
            None => (text, element),
        };
        if let Some(rest) = text.strip_prefix("pointers(") {
            let (count, text) = rest.split_once(')').ok_or("write `pointers(n) generator of type`")?;
            let count = evaluate(count, variables)?.int()?.clamp(0, MAX_POINTERS) as usize;
            let kind =
                generator(text.trim(), variables)?.ok_or_else(|| format!("`{text}` is no generator"))?;
            return Ok(generic::pointers(count, element, kind, stream));
        }
        if let Some(kind) = generator(text, variables)? {
            return Ok(ArgPlan::Fill(Fill { element, kind, stream }));
        }
        let mut bytes = Vec::new();
        let values =
            if text.starts_with('[') { list(text, variables)? } else { vec![evaluate(text, variables)?] };
        for value in values {
            bytes.extend(element_bytes(element, &value)?);
        }
        bytes.resize(bytes.len().max(buffer.size.unwrap_or(0) as usize), 0);
        Ok(ArgPlan::Exact { bytes, element })
    }
}

/// The most pointers of an argument buffer.
const MAX_POINTERS: i64 = 1 << 10;

/// A word out of the kernel's name, where a variable has that name; else the text itself.
fn word(text: &str, variables: &Variables) -> String {
    match variables.get(text) {
        Some(Number::Word(word)) => word.clone(),
        _ => text.to_owned(),
    }
}

fn assignment(line: &str) -> Result<(&str, &str), String> {
    let (name, value) = line.split_once('=').ok_or_else(|| format!("`{line}` is no `name = value`"))?;
    Ok((name.trim(), value))
}

/// The entry of a name: itself, or the first pattern with `*` that fits.
fn find<'a, V>(map: &'a BTreeMap<String, V>, name: &str) -> Option<&'a V> {
    map.get(name).or_else(|| {
        let fits = |pattern: &str| match pattern.split_once('*') {
            Some((start, end)) => {
                name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
            }
            None => false,
        };
        map.iter().find(|(pattern, _)| fits(pattern)).map(|(_, value)| value)
    })
}

fn list(text: &str, variables: &Variables) -> Result<Vec<Number>, String> {
    let inner = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let inner = inner.ok_or_else(|| format!("`{text}` is no list: write `[a, b]`"))?;
    split_list(inner).into_iter().map(|part| evaluate(part, variables)).collect()
}

fn element_bytes(element: Element, value: &Number) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    match value {
        Number::Int(value) => element.bytes_of_int(*value, &mut bytes),
        other => element.bytes_of_float(other.float()?, &mut bytes),
    }
    Ok(bytes)
}

fn generator(text: &str, variables: &Variables) -> Result<Option<FillKind>, String> {
    let (name, arguments) = match text.split_once('(') {
        Some((name, rest)) => (name.trim(), rest.strip_suffix(')').unwrap_or(rest)),
        None => (text, ""),
    };
    let arguments = || -> Result<Vec<f64>, String> {
        split_list(arguments).into_iter().map(|part| evaluate(part, variables)?.float()).collect()
    };
    Ok(Some(match name {
        "normal" => FillKind::Normal,
        "special" => FillKind::Special,
        "edges" => FillKind::Edges,
        "bits" => FillKind::Bits,
        "zeros" => FillKind::Constant(0.0),
        "pattern" => FillKind::Pattern,
        "fill" | "range" | "ascending" => match (name, &*arguments()?) {
            ("fill", [value]) => FillKind::Constant(*value),
            ("range", [low, high]) if high > low => FillKind::Range(*low, *high),
            ("ascending", [step]) => FillKind::Ascending { step: *step, period: 0 },
            ("ascending", [step, period]) => FillKind::Ascending { step: *step, period: *period as u64 },
            _ => {
                return Err(format!(
                    "`{text}`: write `fill(x)`, `range(low, high)` or `ascending(step, period)`"
                ));
            }
        },
        _ => return Ok(None),
    }))
}

/// Fills members from the first table that names them. Members that none names are zero.
fn structure(
    members: &[StructMember],
    tables: &[&BTreeMap<String, String>],
    variables: &Variables,
    bytes: &mut Vec<u8>,
) -> Result<(), String> {
    for table in tables {
        for name in table.keys() {
            if !members.iter().any(|member| &*member.name == name) {
                return Err(format!("there is no member `{name}`"));
            }
        }
    }
    for member in members {
        let Some(text) = tables.iter().find_map(|table| table.get(&*member.name)) else { continue };
        let element = Element::of_type(&member.type_name, Some(member.size));
        let values = if text.trim().starts_with('[') {
            list(text, variables)?
        } else {
            vec![evaluate(text, variables)?]
        };
        let mut at = member.offset as usize;
        for value in values {
            let value = element_bytes(element, &value)?;
            bytes.resize(bytes.len().max(at + value.len()), 0);
            bytes[at..at + value.len()].copy_from_slice(&value);
            at += value.len();
        }
    }
    Ok(())
}
